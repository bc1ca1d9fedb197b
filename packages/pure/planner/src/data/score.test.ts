import type { DataRunFigures } from '@ironlaw/contracts/data-plan'
import { DATA_RUN_FIGURES } from '@ironlaw/contracts/data-plan'
import { describe, expect, test } from 'vitest'
import { type FinishedDataRun, heldOutRates, learnedRates } from './learned-rates.ts'
import { planData } from './plan-data.ts'
import { scoredRun } from './score.ts'
import { randomStream, simulatedProbe } from './simulated-corpus.fixture.ts'

const { probe } = simulatedProbe({ seed: 21, groups: 800, sizes: 'zipf', similarity: 1, share: 0.2, heavy: 10 })
const { plan } = planData({ name: 'corpus', probe, conditions: { workers: 2 } })
const { prediction } = plan

const asPredicted: DataRunFigures = {
  left: prediction.left.map(({ step, documents, bytes, tokens }) => ({
    step,
    documents: documents.value,
    bytes: bytes.value,
    ...(tokens ? { tokens: tokens.value } : {}),
  })),
  duration_s: prediction.duration_s.value,
  causes_s: Object.fromEntries(Object.entries(prediction.causes_s).map(([cause, { value }]) => [cause, value])),
  work: [],
  worker_bytes: prediction.worker_bytes.value,
  cluster_bytes: prediction.cluster_bytes.value,
  disk_bytes: prediction.disk_bytes.value,
}

describe('score', () => {
  test('a run that went as planned is inside everywhere', () => {
    expect(DATA_RUN_FIGURES.safeParse(asPredicted).error).toBeUndefined()
    const rows = scoredRun(plan, asPredicted)
    expect(rows.length).toBe(3 * 3 + 1 + Object.keys(prediction.causes_s).length + 3)
    expect(rows.filter(({ inside }) => !inside)).toEqual([])
  })

  test('what lies outside is named with both figures', () => {
    const [first, ...others] = asPredicted.left
    if (!first) throw new Error('no step')
    const rows = scoredRun(plan, { ...asPredicted, left: [{ ...first, tokens: 1 }, ...others], duration_s: 1e6 })
    expect(rows.filter(({ inside }) => !inside).map(({ figure, measured }) => [figure, measured])).toEqual([
      ['tokens after keep', 1],
      ['duration', 1e6],
    ])
  })

  test('figures that were not measured are not scored', () => {
    const { cluster_bytes: _, ...rest } = asPredicted
    const rows = scoredRun(plan, { ...rest, left: [], causes_s: {} })
    expect(rows.map(({ figure }) => figure)).toEqual(['duration', 'memory of a worker', 'disk'])
  })
})

describe('learned rates', () => {
  const run = (name: string, time_s: number, machine = 'xeon'): FinishedDataRun => ({
    run: name,
    machine,
    work: [{ step: 'tokenize', bytes: 1e9, time_s }],
  })

  test('are the mean of runs on the same machine', () => {
    const rates = learnedRates([run('a', 100), run('b', 100), run('c', 9999, 'epyc')], 'xeon')
    expect(rates['tokenize']?.s_per_byte).toBeCloseTo(1e-7, 12)
    expect(rates['tokenize']?.runs).toBe(2)
    expect(learnedRates([run('a', 100)], 'other')).toEqual({})
  })

  test('follow the longer run where two differ', () => {
    const short: FinishedDataRun = { run: 'short', machine: 'xeon', work: [{ step: 'read', bytes: 1e6, time_s: 0.1 }] }
    const long: FinishedDataRun = { run: 'long', machine: 'xeon', work: [{ step: 'read', bytes: 1e9, time_s: 20 }] }
    expect(learnedRates([short, long], 'xeon')['read']?.s_per_byte).toBeCloseTo(2e-8, 8)
  })

  test('do not learn from work too short to time', () => {
    expect(learnedRates([{ run: 'a', machine: 'xeon', work: [{ step: 'read', bytes: 1e3, time_s: 1e-4 }] }], 'xeon')).toEqual({})
  })

  test('become surer with more runs that agree', () => {
    const spread = (count: number): number =>
      learnedRates(
        Array.from({ length: count }, (_, i) => run(`${i}`, 100)),
        'xeon',
      )['tokenize']?.spread ?? 0
    expect(spread(10)).toBeLessThan(spread(2))
    expect(spread(2)).toBeLessThan(spread(1))
  })

  test('predict runs that were left out as often as stated', () => {
    const random = randomStream(5)
    const noise = (): number => Math.exp(0.15 * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()))
    const runs = Array.from({ length: 200 }, (_, i) => run(`${i}`, 100 * noise()))
    const rows = heldOutRates(runs)
    expect(rows).toHaveLength(200)
    const inside = rows.filter((row) => row.inside).length / rows.length
    expect(inside).toBeGreaterThan(0.85)
    expect(inside).toBeLessThan(0.96)
  })

  test('a run is never predicted from itself', () => {
    expect(heldOutRates([run('a', 100)])).toEqual([])
    expect(heldOutRates([run('a', 100), run('b', 400)]).map(({ predicted_s }) => Math.round(predicted_s))).toEqual([400, 100])
  })
})
