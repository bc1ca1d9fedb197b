import { GATEWAY_SYNC } from '@ironlaw/contracts/gateway-sync'
import { expect, test } from 'vitest'
import { LeasedBudgets } from './leased-budgets.ts'

test('a report of many thousand budgets is not refused: it lists those nearest to their limit', async () => {
  const spent = new Map<string, number>(Array.from({ length: 6000 }, (_, index) => [`tenant-${index}`, index] as const))
  const books = ({ budget }: { readonly budget: string }) =>
    Promise.resolve({ held: 10, granted: 10, spent: spent.get(budget) ?? 0, leased: 10, bound: 10_000, wanted: false })
  const budgets = new LeasedBudgets(books)
  await Promise.all([...spent.keys()].map(async (name) => await budgets.reserve(name, 1)))
  const states = budgets.states()
  budgets.abandon()
  expect(states).toHaveLength(100)
  expect(states[0]?.name).toBe('tenant-5999')
  expect(states.at(-1)?.name).toBe('tenant-5900')
  expect(GATEWAY_SYNC.safeParse({ boot: 'b', version: 0, pools: [], replicas: [], budgets: states }).success).toBe(true)
})
