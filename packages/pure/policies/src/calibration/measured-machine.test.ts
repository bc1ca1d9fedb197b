import { expect, test } from 'vitest'
import { measuredMachine } from './measured-machine.ts'
import type { MeasuredRow } from './measurement.ts'

const machine = { element_bytes: 4 }
const on = (...times: readonly number[]) => ({ vm: times })

test('each count of ranks that shared a node has figures of its own', () => {
  const rows: MeasuredRow[] = [1, 2].flatMap((ranks) => [
    { measured: 'copy', bytes: 2e6, ranks, seconds: on(2e-4 * ranks, 2.02e-4 * ranks, 1.98e-4 * ranks) },
    { measured: 'optimizer', elements: 1e6, ranks, seconds: on(0.01 * ranks) },
    { measured: 'launch', way: 'forward', layers: 4, ranks, seconds: on(4e-4) },
    { measured: 'launch', way: 'both', layers: 4, ranks, seconds: on(12e-4) },
  ])
  const { sharing } = measuredMachine(machine, rows)
  expect(Object.keys(sharing)).toEqual(['1', '2'])
  expect(sharing['1']?.copy).toEqual({ value: expect.closeTo(1e10, -4), spread: expect.closeTo(0.0148, 2), samples: 3 })
  expect(sharing['2']?.optimizer?.value).toBeCloseTo(5e7, 0)
  expect([sharing['1']?.launch?.forward_s.value, sharing['1']?.launch?.backward_s.value]).toEqual([
    expect.closeTo(1e-4, 9),
    expect.closeTo(2e-4, 9),
  ])
})

test('exchange inside a node is distinguished from exchange across nodes', () => {
  const sizes = [1e4, 1e6, 1e8]
  const exchange = (nodes: number, ranks: number, rate: number): MeasuredRow[] =>
    sizes.map((bytes) => ({
      measured: 'collective',
      name: 'all-reduce',
      bytes,
      ranks,
      nodes,
      seconds: on(5e-5 + (bytes * 2 * (ranks - 1)) / ranks / rate),
    }))
  const found = measuredMachine(machine, [...exchange(1, 4, 2e9), ...exchange(2, 8, 1e9)])
  expect(found.sharing['4']?.collectives?.['all-reduce']?.bytes.value).toBeCloseTo(2e9, -5)
  expect(found.across['2']?.['all-reduce']?.bytes.value).toBeCloseTo(1e9, -5)
  expect(found.across['2']?.['all-reduce']?.alpha_s.value).toBeCloseTo(5e-5, 7)
  expect(found.sharing['8']).toBeUndefined()
})

test('storage is what all ranks of a node get together', () => {
  const rows: MeasuredRow[] = (['write', 'read'] as const).flatMap((way) =>
    [1e6, 64e6].map((bytes) => ({
      measured: 'storage',
      way,
      bytes,
      ranks: 4,
      seconds: on(0.002 + (4 * bytes) / (way === 'write' ? 1e9 : 2e9)),
    })),
  )
  const { storage } = measuredMachine(machine, rows)
  expect(storage?.write.value).toBeCloseTo(1e9, -6)
  expect(storage?.read.value).toBeCloseTo(2e9, -6)
  expect(storage?.latency_s.value).toBeCloseTo(0.002, 4)
})

test('nodes that differ are seen', () => {
  const row = (m: number): MeasuredRow => ({
    measured: 'product',
    m,
    n: 64,
    k: 64,
    ranks: 1,
    seconds: { a: [1e-3], b: [1.02e-3], c: [0.98e-3], d: [1.04e-3], e: [0.96e-3] },
  })
  expect(measuredMachine(machine, [row(64), row(128)]).nodeSpread?.value).toBeCloseTo(0.0297, 3)
})
