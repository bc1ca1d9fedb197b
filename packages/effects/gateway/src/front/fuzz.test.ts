import { expect, test } from 'vitest'
import { fuzzRun } from '../../test/fuzz.ts'

test('20,000 malformed requests: no crash, no hang, no 5xx, nothing of another tenant', async () => {
  const { faults, alive, left, statuses } = await fuzzRun({ count: 20_000, seed: 20_261_115 })
  expect(faults).toEqual([])
  expect(alive).toBe(true)
  expect(left).toBe(0)
  expect(statuses.get('400')).toBeGreaterThan(1000)
  expect(statuses.get('200')).toBeGreaterThan(200)
}, 120_000)
