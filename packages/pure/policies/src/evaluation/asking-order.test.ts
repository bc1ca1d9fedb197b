import { expect, test } from 'vitest'
import { askingOrder } from './asking-order.ts'

const items = Array.from({ length: 300 }, (_, index) => ({ id: `i${index}`, cluster: index < 60 ? `c${index % 15}` : undefined }))

test('an order holds each item once, depends on the seed alone, and says nothing of the place in the file', () => {
  const order = askingOrder(items, 'one')
  expect(order.map(({ id }) => id).toSorted()).toEqual(items.map(({ id }) => id).toSorted())
  expect(askingOrder(items, 'one')).toEqual(order)
  expect(askingOrder(items, 'other')).not.toEqual(order)
  const places = order.slice(0, 60).map((item) => items.indexOf(item))
  expect(Math.abs(places.reduce((sum, place) => sum + place, 0) / 60 - 149.5)).toBeLessThan(60)
})

test('items of one cluster are asked one after the other', () => {
  const clusters = askingOrder(items, 'one').map(({ id, cluster }) => cluster ?? id)
  expect(clusters.filter((each, index) => each !== clusters[index - 1])).toHaveLength(new Set(clusters).size)
})
