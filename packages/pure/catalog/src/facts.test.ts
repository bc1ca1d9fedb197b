import { type BaseUnit, type Known, parse } from '@ironlaw/units'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { readdirSync, readFileSync } from 'node:fs'
import { accelerator, peak, precisions, usableMemory } from './accelerator.ts'
import { builtInCatalog, entriesOf } from './catalog.ts'
import { figures } from './entry.ts'
import { KIND_NAMES } from './kinds.ts'
import { entry, lookup } from './lookup.ts'
import { withOverlay } from './overlay.ts'
import { entryProblems } from './schema.ts'

const quantityOf = (text: string, unit: BaseUnit): number => {
  const parsed = parse(text, unit)
  if (!parsed.ok) throw new Error(parsed.reason)
  return parsed.value
}

/** Quality is measured: no published drop has an interval. */
const SHIPPED = KIND_NAMES.filter((kind) => kind !== 'quality')

test.each(SHIPPED)('the bundle holds exactly the files of facts/%s', (kind) => {
  const folder = new URL(`../../../../facts/${kind}/`, import.meta.url)
  const files = readdirSync(folder).toSorted()
  expect([...builtInCatalog[kind].keys()].map((id) => `${id}.json`).toSorted()).toEqual(files)
  for (const { id, written } of builtInCatalog[kind].values())
    expect(written).toEqual(JSON.parse(readFileSync(new URL(`${id}.json`, folder), 'utf8')))
})

test.each(entriesOf(builtInCatalog).map((one) => [`${one.kind}/${one.id}`, one] as const))('%s is a whole and sourced entry', (_, one) => {
  expect(entryProblems(one.kind, one.written)).toEqual([])
  expect(figures(one).length).toBeGreaterThan(0)
  for (const { known } of figures(one)) expect(known.by).toMatchObject({ kind: 'source', asOf: expect.stringMatching(/^\d{4}-\d{2}/) })
})

test('every kind has entries, and accelerators are many', () => {
  for (const kind of SHIPPED) expect(builtInCatalog[kind].size, kind).toBeGreaterThan(5)
  expect(builtInCatalog.accelerators.size).toBeGreaterThanOrEqual(35)
  expect(builtInCatalog.grids.size).toBeGreaterThanOrEqual(20)
})

// Where tables that circulate give the sparse number, or the sum of both directions, as if it were the other.
describe('the figures that are most often confused', () => {
  test.each([
    ['h100-sxm', 'bf16', '989.4 TFLOP/s', '1978.9 TFLOP/s'],
    ['h100-sxm', 'fp8', '1978.9 TFLOP/s', '3957.8 TFLOP/s'],
    ['h100-pcie', 'bf16', '756 TFLOP/s', '1513 TFLOP/s'],
    ['l40s', 'bf16', '362.05 TFLOP/s', '733 TFLOP/s'],
    ['l4', 'bf16', '121 TFLOP/s', '242 TFLOP/s'],
    ['rtx-4090', 'fp16', '165.2 TFLOP/s', '330.4 TFLOP/s'],
    ['b200', 'bf16', '2.25 PFLOP/s', '4.5 PFLOP/s'],
    ['b200', 'fp4', '9 PFLOP/s', '18 PFLOP/s'],
    ['gb200', 'fp8', '5 PFLOP/s', '10 PFLOP/s'],
    ['b300', 'fp4', '14 PFLOP/s', '18 PFLOP/s'],
    ['a100-80gb-sxm', 'bf16', '312 TFLOP/s', '624 TFLOP/s'],
    ['mi300x', 'bf16', '1307.4 TFLOP/s', '2614.9 TFLOP/s'],
  ] as const)('%s in %s is %s dense and %s sparse', (...row) => {
    const [id, precision, dense, sparse] = row
    const device = accelerator(builtInCatalog, id)
    expect(peak(device, precision)?.value).toBe(quantityOf(dense, 'FLOP/s'))
    expect(peak(device, precision, 'sparse')?.value).toBe(quantityOf(sparse, 'FLOP/s'))
  })

  test.each([
    ['nvlink-2', '150 GB/s'],
    ['nvlink-3', '300 GB/s'],
    ['nvlink-4', '450 GB/s'],
    ['nvlink-5', '900 GB/s'],
    ['neuronlink-3', '640 GB/s'],
    ['neuronlink-3-instance', '512 GB/s'],
    ['infiniband-ndr-400', '50 GB/s'],
  ] as const)('%s carries %s per direction', (id, bandwidth) => {
    expect(entry(builtInCatalog, 'links', id).facts.perDirection.value).toBe(quantityOf(bandwidth, 'B/s'))
  })
})

test('a Gaudi 3 does FP16 at a quarter of its BF16 rate', () => {
  const gaudi = accelerator(builtInCatalog, 'gaudi-3')
  expect((peak(gaudi, 'bf16')?.value ?? NaN) / (peak(gaudi, 'fp16')?.value ?? NaN)).toBeCloseTo(4, 2)
})

describe('usable memory', () => {
  test.each([
    ['what the driver reports', 'h100-sxm', 81_559 * 2 ** 20],
    ['a binary GB in full', 'a100-80gb-sxm', 80 * 2 ** 30],
    ['the capacity where no report is known', 'gaudi-3', 128e9],
  ] as const)('%s: %s', (...row) => {
    const [, id, bytes] = row
    expect(usableMemory(accelerator(builtInCatalog, id)).value).toBe(bytes)
  })

  test.each([
    ['a restated capacity', { capacity: { is: '96 GB', from: 'our quote 2026-10' } }, 96e9],
    [
      'a restated total beside it',
      { capacity: { is: '96 GB', from: 'our quote 2026-10' }, usable: { is: '90 GiB', from: 'our quote 2026-10' } },
      90 * 2 ** 30,
    ],
  ] as const)('%s of an overlay', (_, memory, bytes) => {
    const catalog = withOverlay(builtInCatalog, { file: 'fleet.yaml', changes: { accelerators: { h100: { memory } } } })
    expect(usableMemory(accelerator(catalog, 'h100')).value).toBe(bytes)
  })
})

test('the ridge of an H100 in BF16 is 295 FLOP per byte', () => {
  const h100 = accelerator(builtInCatalog, 'h100-sxm')
  expect((peak(h100, 'bf16')?.value ?? NaN) / h100.facts.memory.bandwidth.value).toBeCloseTo(295.343, 3)
})

test('a narrower format is never slower, except where the vendor says so', () => {
  const slower = [...builtInCatalog.accelerators.values()].filter((device) => {
    const [bf16, fp8] = [peak(device, 'bf16'), peak(device, 'fp8')]
    return bf16 !== undefined && fp8 !== undefined && fp8.value < bf16.value
  })
  expect(slower.map(({ id }) => id)).toEqual([])
})

test('precisions lists what a device has', () => {
  expect(precisions(accelerator(builtInCatalog, 'coral'))).toEqual(['int8'])
  expect(peak(accelerator(builtInCatalog, 'coral'), 'bf16')).toBeUndefined()
})

/** Where an instance wires more or fewer of the ports of a chip than the entry of the chip counts. */
const WIRED_APART: ReadonlyMap<string, string> = new Map([
  ['aws-trn1n-32xlarge', 'neuronlink-2-trn1n'],
  ['aws-trn2-48xlarge', 'neuronlink-3-instance'],
])

test('a node and its accelerator speak of the same link', () => {
  for (const node of builtInCatalog.nodes.values()) {
    const device = accelerator(builtInCatalog, node.facts.accelerator)
    expect([node.id, node.facts.link]).toEqual([node.id, WIRED_APART.get(node.id) ?? device.facts.link?.id])
    if (node.facts.fabric !== undefined)
      expect(lookup(builtInCatalog, 'fabrics', node.facts.fabric)).toMatchObject({ entry: { facts: { link: node.facts.link } } })
  }
})

test('the compiler knows the unit of every figure', () => {
  const { facts } = accelerator(builtInCatalog, 'h100-sxm')
  expectTypeOf(facts.memory.capacity).toEqualTypeOf<Known<'B'>>()
  expectTypeOf(facts.peaks.bf16).toEqualTypeOf<{ readonly dense: Known<'FLOP/s'>; readonly sparse?: Known<'FLOP/s'> } | undefined>()
  expectTypeOf(facts.link?.id).toEqualTypeOf<string | undefined>()
  expectTypeOf(entry(builtInCatalog, 'grids', 'france').facts.carbon).toEqualTypeOf<Known<'gCO2e/J'>>()
})
