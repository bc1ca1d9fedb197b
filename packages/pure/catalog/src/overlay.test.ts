import { IronlawError } from '@ironlaw/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accelerator } from './accelerator.ts'
import { builtInCatalog, entriesOf } from './catalog.ts'
import { figures, type Json, type JsonObject } from './entry.ts'
import { entry } from './lookup.ts'
import { withOverlay } from './overlay.ts'
import { checkedOverlay } from './schema.ts'

const overlaidCatalog = (value: unknown, file = 'fleet.yaml') => withOverlay(builtInCatalog, checkedOverlay(builtInCatalog, value, file))
const quote = { accelerators: { h100: { memory: { capacity: { is: '96 GB', from: 'our quote 2026-10' } } } } }

test('an overlay changes one figure, names itself and its source, and leaves the rest', () => {
  const h100 = accelerator(overlaidCatalog(quote), 'h100-sxm')
  expect(h100.facts.memory.capacity).toEqual({ value: 96e9, unit: 'B', by: { kind: 'source', ref: 'our quote 2026-10', asOf: '2026-10' } })
  expect(h100.facts.memory.bandwidth).toEqual(accelerator(builtInCatalog, 'h100-sxm').facts.memory.bandwidth)
  const overridden = figures(h100).filter(({ origin }) => origin.by === 'overlay')
  expect(overridden.map(({ path, origin }) => [path, origin])).toEqual([['memory.capacity', { by: 'overlay', file: 'fleet.yaml' }]])
  expect(accelerator(builtInCatalog, 'h100-sxm').facts.memory.capacity.value).toBe(80e9)
})

test('the later of two overlays wins, and both leave their names', () => {
  const first = overlaidCatalog(quote)
  const second = withOverlay(
    first,
    checkedOverlay(first, { accelerators: { 'h100-sxm': { tdp: { is: '650 W', from: 'power cap' } } } }, 'site.yaml'),
  )
  const origins = new Map(figures(accelerator(second, 'h100')).map(({ path, origin }) => [path, origin]))
  expect(origins.get('memory.capacity')).toEqual({ by: 'overlay', file: 'fleet.yaml' })
  expect(origins.get('tdp')).toEqual({ by: 'overlay', file: 'site.yaml' })
  expect(origins.get('memory.bandwidth')).toEqual({ by: 'built-in' })
})

test('a source key of the overlay does not speak for the vendor, nor the vendor for the overlay', () => {
  const borrowed = accelerator(overlaidCatalog({ accelerators: { h100: { tdp: { is: '650 W', from: 'datasheet' } } } }), 'h100')
  expect(borrowed.facts.tdp.by).toMatchObject({ ref: 'fleet.yaml: datasheet' })
  const own = { tdp: { is: '650 W', from: 'datasheet' }, sources: { datasheet: { ref: 'power capping policy', date: '2026-01' } } }
  const both = accelerator(overlaidCatalog({ accelerators: { h100: own } }), 'h100')
  expect(both.facts.tdp.by).toMatchObject({ ref: 'power capping policy', asOf: '2026-01' })
  expect(both.facts.memory.capacity.by).toEqual(accelerator(builtInCatalog, 'h100').facts.memory.capacity.by)
})

test('an overlay may add an entry, which is wholly its own', () => {
  const grid = { name: 'Our own hydro plant', region: 'Valais', carbon: { is: '4 g/kWh', from: 'audit 2026-03' } }
  const added = entry(overlaidCatalog({ grids: { 'our-plant': grid } }), 'grids', 'our-plant')
  expect(added.origin).toEqual({ by: 'overlay', file: 'fleet.yaml' })
  expect(figures(added).map(({ origin }) => origin)).toEqual([{ by: 'overlay', file: 'fleet.yaml' }])
  expect(added.facts.carbon.value).toBeCloseTo(4 / 3.6e6, 15)
})

test.each([
  ['an unknown kind', { accelerator: {} }, 'there is no field "accelerator"'],
  [
    'an unknown field',
    { accelerators: { h100: { memory: { size: { is: '96 GB', from: 'x' } } } } },
    'accelerators.h100.memory: there is no field "size"',
  ],
  ['a figure without source', { accelerators: { h100: { tdp: { is: '650 W' } } } }, 'accelerators.h100.tdp.from'],
  ['a wrong unit', { accelerators: { h100: { tdp: { is: '650 GB', from: 'x' } } } }, 'accelerators.h100.tdp.is: "GB" is not a unit'],
  ['a missing unit', { accelerators: { h100: { tdp: { is: '650', from: 'x' } } } }, 'accelerators.h100.tdp.is: "650" has no unit'],
  ['a negative figure', { accelerators: { h100: { tdp: { is: '-1 W', from: 'x' } } } }, 'is negative'],
  ['an incomplete new entry', { grids: { moon: { name: 'Moon', region: 'Moon' } } }, 'grids.moon.carbon'],
  [
    'a mistyped id',
    { accelerators: { 'h10-sxm': { tdp: { is: '650 W', from: 'x' } } } },
    '"h10-sxm" is new to the catalog and must be whole, or did you mean h100-sxm',
  ],
  ['a renamed entry', { accelerators: { h100: { id: 'h101' } } }, 'there is no field "id"'],
  [
    'a new entry with a bad id',
    { grids: { 'The Moon': { name: 'Moon', region: 'Moon', carbon: { is: '0 g/kWh', from: 'x' } } } },
    'lower-case',
  ],
  [
    'a group left incomplete',
    { accelerators: { coral: { link: { bandwidth: { is: '1 GB/s', from: 'x' } } } } },
    'accelerators.coral.link.id',
  ],
  [
    'a reference to nothing',
    { accelerators: { h100: { link: { id: 'nvlink-44' } } } },
    'accelerators.h100.link.id: there is no link "nvlink-44"',
  ],
  ['no mapping at all', 'h100', 'fleet.yaml: (file)'],
])('%s is refused with its path', (_, value, message) => {
  expect(() => overlaidCatalog(value)).toThrow(IronlawError)
  expect(() => overlaidCatalog(value)).toThrow(message)
})

const everyEntry = entriesOf(builtInCatalog)

/** The part of a written entry that holds one figure, as an overlay would repeat it. */
function partAt(written: JsonObject, path: string): JsonObject {
  const [name = '', ...rest] = path.split('.')
  const value = written[name] as JsonObject
  return { [name]: rest.length === 0 ? value : partAt(value, rest.join('.')) }
}

test('property: repeating a figure of the catalog changes its origin and nothing else', () => {
  const pick = fc.nat().chain((seed) => {
    const one = everyEntry[seed % everyEntry.length] ?? everyEntry[0]!
    return fc.record({ one: fc.constant(one), row: fc.constantFrom(...figures(one)) })
  })
  fc.assert(
    fc.property(pick, ({ one, row }) => {
      const change = { ...partAt(one.written, row.path), sources: one.written['sources'] as Json }
      const after = entry(overlaidCatalog({ [one.kind]: { [one.id]: change } }), one.kind, one.id)
      const origin = { by: 'overlay', file: 'fleet.yaml' }
      const expected = figures(one).map(({ path, known, note }) => ({
        path,
        known,
        note,
        origin: path === row.path ? origin : { by: 'built-in' },
      }))
      expect(figures(after)).toEqual(expected)
      expect(after.facts).toEqual(one.facts)
    }),
    { numRuns: 60 },
  )
})
