import { expect, test } from 'vitest'
import { HeldBytes } from './held-bytes.ts'

test('no tenant takes more than its part, all together no more than the whole, and what is given back is there again', () => {
  const held = new HeldBytes({ total_bytes: 100, tenant_bytes: 60 })
  expect(held.take('a', 60)).toBe('held')
  expect(held.take('a', 1)).toBe('tenant-full')
  expect(held.take('b', 50)).toBe('all-full')
  expect(held.take('b', 40)).toBe('held')
  expect(held.total).toBe(100)
  held.give('a', 60)
  expect(held.take('b', 21)).toBe('tenant-full')
  expect(held.take('b', 20)).toBe('held')
  held.give('b', 60)
  expect(held.total).toBe(0)
})
