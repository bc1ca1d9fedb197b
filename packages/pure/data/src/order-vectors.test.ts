// Orders that must never change: a run that is resumed years later has to see what it would have seen. python/tests/test_data_order.py reads
// the same file, so both languages agree.

import { dataOrderId, parseDataOrder } from '@ironlaw/contracts/data-order'
import { expect, test } from 'vitest'
import { dataOrder } from './data-order.ts'
import vectors from './order-vectors.json' with { type: 'json' }
import { permutation } from './permutation.ts'

test.each(vectors.permutations)('the permutation of $size with the seed "$seed" is as recorded', ({ seed, size, values }) => {
  const { at } = permutation(seed, size)
  expect(values.map(([index = 0]) => [index, at(index)])).toEqual(values)
})

test.each(vectors.orders)('the order $id is as recorded', ({ document, id, placed }) => {
  const read = parseDataOrder(document, 'order-vectors.json')
  const order = dataOrder(read)
  expect(dataOrderId(read)).toBe(id)
  const found = placed.map(([position]) => {
    const at = order.at(Number(position))
    return [position, at?.phase, at?.source, at?.k, at?.epoch, at?.sample]
  })
  expect(found).toEqual(placed)
})
