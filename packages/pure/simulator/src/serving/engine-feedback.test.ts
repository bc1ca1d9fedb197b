import { quantile } from '@ironlaw/laws/quantile'
import { expect, test } from 'vitest'
import { RandomStream } from '../kernel/random-stream.ts'
import { drawnArrivals, logNormalLength } from './arrivals.ts'
import { fittedFactors } from './engine-feedback.ts'
import { figuresOf } from './served.ts'
import { type CalibratedEngine, simulatedRequests } from './simulated-requests.ts'

const engineOf = (decode: number, prefill: number) => ({
  costs: {
    decode: [
      { sequences: 1, seconds: 2e-3 * decode },
      { sequences: 8, seconds: 6e-3 * decode },
    ],
    decodeKey_s: 1e-6 * decode,
    prefillSequence_s: 2e-3 * prefill,
    prefillToken_s: 2e-4 * prefill,
    prefillPair_s: 0,
    request_s: 1e-3,
  },
  slots: 8,
  context_tokens: 1024,
  batch_tokens: 512,
})

function requests(requests_per_s: number, seed: number) {
  const arrivals = drawnArrivals({
    requests_per_s,
    burstiness: 1,
    prompt: logNormalLength(80, 0.5, 300),
    output: logNormalLength(24, 0.5, 90),
    count: 200,
    seed,
  })
  const next = { at: 0, prompt: 0, output: 0, tenant: 0, priority: 0, adapter: 0, session: 0, hashFirst: 0, hashCount: 0 }
  const rows: { readonly at_s: number; readonly prompt: number; readonly output: number }[] = []
  while (arrivals(next)) rows.push({ at_s: next.at, prompt: next.prompt, output: next.output })
  return rows
}

const measuredCell = (calibrated: CalibratedEngine, replicas: number, seed: number) => {
  const rows = requests(6 * replicas, seed)
  const replicated = { replicas, router: 'round-robin' } as const
  return { ...replicated, rows, measured: simulatedRequests(calibrated, rows, replicated) }
}

test('an engine that is slower than calibrated is found to be so', () => {
  const truth = { engine: engineOf(1.4, 0.8), sharing: [1, 1.5], network_s: 2e-3 }
  const calibrated = { engine: engineOf(1, 1), sharing: [1, 1.2], network_s: 2e-3 }
  const { decode, prefill, sharing } = fittedFactors(calibrated, [measuredCell(truth, 1, 1), measuredCell(truth, 2, 2)])
  expect(decode).toBeCloseTo(1.4, 2)
  expect(prefill).toBeCloseTo(0.8, 2)
  expect(sharing[0]).toBe(1)
  expect(sharing[1]).toBeCloseTo(1.5 / 1.2, 2)
})

test('engines on machines of their own all teach about costs; those of one machine about how they slow each other', () => {
  const apart = { engine: engineOf(1.3, 1), sharing: [], network_s: 0 }
  expect(fittedFactors({ ...apart, engine: engineOf(1, 1) }, [measuredCell(apart, 3, 3)])).toMatchObject({
    decode: expect.closeTo(1.3, 2),
    sharing: [],
  })
  const beside = { engine: engineOf(1, 1), sharing: [1, 1.6], network_s: 0 }
  const { decode, prefill, sharing } = fittedFactors({ ...beside, sharing: [1, 1] }, [measuredCell(beside, 2, 4)])
  expect([decode, prefill]).toEqual([1, 1])
  expect(sharing[1]).toBeCloseTo(1.6, 2)
})

test('no factor moves by more than two', () => {
  const calibrated = { engine: engineOf(1, 1), sharing: [], network_s: 0 }
  const factors = (decode: number, prefill: number) =>
    fittedFactors(calibrated, [measuredCell({ ...calibrated, engine: engineOf(decode, prefill) }, 1, 5)])
  expect(factors(5, 1).decode).toBe(2)
  expect(factors(1, 0.1).prefill).toBe(0.5)
})

test('every second of a simulated request has one cause, the wait for an engine that starts among them', () => {
  const calibrated = { engine: engineOf(1, 1), sharing: [], network_s: 3e-3 }
  const rows = requests(20, 6)
  const served = simulatedRequests(calibrated, rows, { replicas: 1, router: 'kv-aware', ready_s: 1 })
  expect(served).toHaveLength(rows.length)
  for (const { causes, latency_s } of served)
    expect(Object.values(causes).reduce((sum, seconds) => sum + seconds, 0)).toBeCloseTo(latency_s, 9)
  expect(served[0]?.causes['cold start']).toBeCloseTo(1 - (rows[0]?.at_s ?? 0), 9)
  expect(served.at(-1)?.causes).toMatchObject({ 'cold start': 0, network: 4e-3 })
})

test('figures of many requests', () => {
  const random = new RandomStream([1])
  const values = Array.from({ length: 1000 }, () => random.uniform())
  expect(quantile(values, 0.95)).toBeCloseTo(0.95, 1)
  const causes = { 'cold start': 0, retries: 0, network: 0, queue: 0, prefill: 1, decode: 2 }
  const one = { at_s: 10, output: 5, ttft_s: 1, latency_s: 3, causes }
  expect(figuresOf([one, { ...one, at_s: 11, output: 1, latency_s: 1 }])).toEqual({
    'ttft p50': 1,
    'ttft p95': 1,
    'tpot p50': 0.5,
    'tpot p95': 0.5,
    'tokens/s': 2,
  })
})
