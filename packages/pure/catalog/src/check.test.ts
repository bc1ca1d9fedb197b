import { describe, expect, test } from 'vitest'
import { builtInCatalog } from './catalog.ts'
import { checkCatalog } from './check.ts'
import { type JsonObject } from './entry.ts'
import { KIND_NAMES, KINDS } from './kinds.ts'
import { withOverlay } from './overlay.ts'
import { type Fields, fieldShape } from './shape.ts'

const problemsWith = (changes: { readonly [kind: string]: { readonly [id: string]: JsonObject } }): readonly string[] =>
  checkCatalog(withOverlay(builtInCatalog, { file: 'test', changes })).problems

const from = 'a test of 2026-01'

test('the built-in catalog holds together', () => {
  const check = checkCatalog(builtInCatalog)
  expect(check.problems).toEqual([])
  expect(check.withoutSource).toBe(0)
  expect(check.accelerators).toBe(builtInCatalog.accelerators.size)
  expect(check.entries).toBeGreaterThan(250)
  expect(check.figures).toBeGreaterThan(1000)
})

describe('each fault is found', () => {
  test.each([
    [
      'sparse in the place of dense',
      { accelerators: { h200: { peaks: { bf16: { dense: { is: '3958 TFLOP/s', from } } } } } },
      'sparse is 0.50 x dense',
    ],
    [
      'sparse too far above dense',
      { accelerators: { h100: { peaks: { fp8: { sparse: { is: '7 PFLOP/s', from } } } } } },
      'sparse is 3.54 x dense, expected 1 to 2.1',
    ],
    [
      'Gb for GB in memory bandwidth',
      { accelerators: { h100: { memory: { bandwidth: { is: '335 Gb/s', from } } } } },
      'peak over memory bandwidth',
    ],
    ['kW for W', { accelerators: { l4: { tdp: { is: '72 kW', from } } } }, 'peak over power'],
    ['MB for GB', { accelerators: { t4: { memory: { capacity: { is: '16 MB', from } } } } }, 'memory capacity over bandwidth'],
    ['a slice for the whole', { accelerators: { h100: { memory: { usable: { is: '40000 MiB', from } } } } }, 'usable memory over capacity'],
    [
      'both directions of a link',
      { accelerators: { h100: { link: { bandwidth: { is: '900 GB/s', from } } } } },
      'more than nvlink-4 carries',
    ],
    [
      'a bisection that no traffic can fill',
      { fabrics: { nvl72: { bisection: { is: '130 TB/s', from } } } },
      'more than half of the devices',
    ],
    ['a rate that the counts do not give', { failures: { 'llama3-gpu': { rate: { is: '1 /day', from } } } }, 'differs from events'],
    ['cents for dollars', { prices: { 'runpod-h100-sxm': { onDemand: { is: '329 USD/h', from } } } }, 'USD per PFLOP-hour'],
    ['kilograms for grams', { grids: { france: { carbon: { is: '56 kg/kWh', from } } } }, 'carbon (g/J)'],
    ['a PUE below one', { grids: { france: { pue: { is: '0.9', from } } } }, 'pue is 0.900'],
    ['a source without date', { accelerators: { h100: { tdp: { is: '700 W', from: 'hearsay' } } } }, 'has no date'],
    ['a reference to nothing', { nodes: { 'dgx-h100': { accelerator: 'h101' } } }, 'there is no accelerator "h101"'],
    ['an alias of another accelerator', { accelerators: { h200: { aliases: ['h100'] } } }, 'also belongs to h100-sxm'],
    ['an unreadable figure', { accelerators: { h100: { tdp: { is: 'much', from } } } }, 'does not start with a number'],
  ])('%s', (_, changes, message) => {
    expect(problemsWith(changes).join('\n')).toContain(message)
  })

  test('a source without date is counted', () => {
    const changes = { accelerators: { h100: { tdp: { is: '700 W', from: 'hearsay' } } } }
    expect(checkCatalog(withOverlay(builtInCatalog, { file: 'test', changes })).withoutSource).toBe(1)
  })
})

test('shapes refer only to kinds that exist', () => {
  const targets = (fields: Fields): readonly string[] =>
    Object.values(fields).flatMap((field) => {
      const shape = fieldShape(field)
      return shape.leaf === 'reference' ? [shape.to] : shape.leaf === 'group' ? targets(shape.fields) : []
    })
  for (const kind of KIND_NAMES) expect(KIND_NAMES).toEqual(expect.arrayContaining([...targets(KINDS[kind])]))
})
