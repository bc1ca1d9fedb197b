import { expect, test } from 'vitest'
import { accelerator } from './accelerator.ts'
import { builtInCatalog } from './catalog.ts'
import { comparisonRows } from './compare.ts'

const rows = new Map(
  comparisonRows(accelerator(builtInCatalog, 'h100-sxm'), accelerator(builtInCatalog, 'b200')).map((row) => [row.path, row]),
)

test.each([
  ['peaks.bf16.dense', 2250 / 989.4],
  ['memory.capacity', 180 / 80],
  ['link.bandwidth', 2],
  ['tdp', 1000 / 700],
])('a B200 has %s %d times that of an H100', (path, ratio) => {
  expect(rows.get(path)?.ratio).toBeCloseTo(ratio, 12)
})

test('what only one of them has stands without ratio', () => {
  expect(rows.get('peaks.fp4.dense')).toMatchObject({ left: undefined, right: { value: 9e15 }, ratio: undefined })
})

test('an entry compared with itself has only ratios of one', () => {
  const h100 = accelerator(builtInCatalog, 'h100-sxm')
  expect(new Set(comparisonRows(h100, h100).map(({ ratio }) => ratio))).toEqual(new Set([1]))
})
