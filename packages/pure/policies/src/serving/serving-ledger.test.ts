import { expect, test } from 'vitest'
import { type CauseSeconds, servingLedger } from './serving-ledger.ts'

const NOTHING: CauseSeconds = { 'cold start': 0, retries: 0, network: 0, queue: 0, prefill: 0, decode: 0 }

test('seconds by cause compared with the prediction, the whole, and the largest gap with its sign', () => {
  const measured = [
    { latency_s: 3, causes: { ...NOTHING, queue: 1, decode: 2 } },
    { latency_s: 1, causes: { ...NOTHING, decode: 0.98 } },
  ]
  const predicted = [
    { latency_s: 4, causes: { ...NOTHING, prefill: 0.5, decode: 2 } },
    { latency_s: 2, causes: { ...NOTHING, prefill: 1, decode: 1 } },
  ]
  const ledger = servingLedger(measured, predicted)
  expect(ledger).toMatchObject({ requests: 2, wall_s: 4, gap: { cause: 'prefill', seconds: -1.5 } })
  expect(ledger.unexplained).toBeCloseTo(0.02 / 4)
  expect(ledger.causes.find(({ cause }) => cause === 'decode')).toMatchObject({ measured_s: 2.98, predicted_s: 3 })
})
