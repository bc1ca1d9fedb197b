import { TIME_CAUSES, type TimeCause } from '@ironlaw/contracts/ledger'
import { expect, test } from 'vitest'
import { tiersOf } from './tiers.ts'

test('each tier is a part of the one above', () => {
  const shares: Partial<Record<TimeCause, number>> = {
    queue: 0.2,
    start: 0.05,
    load: 0.05,
    compute: 0.5,
    'lost work': 0.1,
    checkpoint: 0.1,
  }
  const causes = TIME_CAUSES.map((cause) => ({ cause, accelerator_s: 0, share: shares[cause] ?? 0 }))
  const [allocated, running, productive] = tiersOf({ goodput: { scheduling: 0.8, runtime: 0.625 }, causes }).map(({ share }) => share)
  expect(allocated).toBeCloseTo(0.8)
  expect(running).toBeCloseTo(0.7)
  expect(productive).toBeCloseTo(0.5)
})
