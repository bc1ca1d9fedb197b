import type { DataRunFigures } from '@ironlaw/contracts/data-plan'
import { DATA_PLAN, DATA_RUN_FIGURES } from '@ironlaw/contracts/data-plan'
import { describe, expect, test } from 'vitest'
import { type FinishedDataRun, finishedWork, heldOutErrors, heldOutRates, learnedRates } from './learned-rates.ts'
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

  test('what recovery took is not compared with the plan', () => {
    const { duration_s, causes_s } = asPredicted
    const rows = scoredRun(plan, { ...asPredicted, duration_s: duration_s + 1e6, causes_s: { ...causes_s, recovery: 1e6 } })
    expect(rows.filter(({ inside }) => !inside)).toEqual([])
    expect(rows.find(({ figure }) => figure === 'duration without recovery')?.measured).toBeCloseTo(duration_s, 3)
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
    work: [{ does: 'tokenize', bytes: 1e9, time_s }],
  })

  test('are the mean of runs on the same machine', () => {
    const rates = learnedRates([run('a', 100), run('b', 100), run('c', 9999, 'epyc')], 'xeon')
    expect(rates['tokenize']?.s_per_byte).toBeCloseTo(1e-7, 12)
    expect(rates['tokenize']?.runs).toBe(2)
    expect(learnedRates([run('a', 100)], 'other')).toEqual({})
  })

  test('follow the longer run where two differ', () => {
    const short: FinishedDataRun = { run: 'short', machine: 'xeon', work: [{ does: 'read', bytes: 1e6, time_s: 0.1 }] }
    const long: FinishedDataRun = { run: 'long', machine: 'xeon', work: [{ does: 'read', bytes: 1e9, time_s: 20 }] }
    expect(learnedRates([short, long], 'xeon')['read']?.s_per_byte).toBeCloseTo(2e-8, 8)
  })

  test('do not learn from work too short to time', () => {
    expect(learnedRates([{ run: 'a', machine: 'xeon', work: [{ does: 'read', bytes: 1e3, time_s: 1e-4 }] }], 'xeon')).toEqual({})
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

  test('forget runs that twenty newer ones followed', () => {
    const runs = [run('old', 9999), ...Array.from({ length: 20 }, (_, i) => run(`${i}`, 100))]
    expect(learnedRates(runs, 'xeon')['tokenize']?.s_per_byte).toBeCloseTo(1e-7, 12)
  })

  test('are compared with plans on the figures that both predict', () => {
    const planned = (name: string, time_s: number): FinishedDataRun => ({
      ...run(name, time_s),
      work: [{ does: 'tokenize', bytes: 1e9, time_s, planned_s: 50 }],
    })
    expect(heldOutErrors([run('a', 100)])).toBeUndefined()
    expect(heldOutErrors([run('a', 100), run('b', 100)])).toEqual({ figures: 2, error: expect.closeTo(0, 9), inside: 1 })
    expect(heldOutErrors([planned('a', 100), planned('b', 100), run('c', 100)])?.planned).toEqual({
      figures: 2,
      before: 0.5,
      after: expect.closeTo(0, 9),
    })
  })

  test('a step has what was planned for it where as many workers did it', () => {
    const predicted_s = prediction.causes_s['tokenize']?.value ?? 0
    const figures = (workers: number): DataRunFigures => ({
      ...asPredicted,
      causes_s: { tokenize: 8 },
      work: [
        { step: 'tokenize', does: 'tokenize', bytes: 1e9, time_s: 8 * workers },
        { step: 'match', does: 'match', bytes: 1e9, time_s: 1 },
      ],
    })
    expect(finishedWork(figures(2), plan)).toEqual([
      { does: 'tokenize', bytes: 1e9, time_s: 16, planned_s: 2 * predicted_s },
      { does: 'match', bytes: 1e9, time_s: 1 },
    ])
    for (const work of [finishedWork(figures(3), plan), finishedWork(figures(2))]) expect(work[0]).not.toHaveProperty('planned_s')
  })

  test('plans and figures of the release before are read, and teach nothing where they do not say what a step did', () => {
    const { rates: _, ...older } = plan
    expect(DATA_PLAN.parse(older).rates).toEqual([])
    const figures = DATA_RUN_FIGURES.parse({ ...asPredicted, work: [{ step: 'tokenize', bytes: 1e9, time_s: 8 }] })
    expect(finishedWork(figures, plan)).toEqual([])
  })

  test('a run is never predicted from itself', () => {
    expect(heldOutRates([run('a', 100)])).toEqual([])
    expect(heldOutRates([run('a', 100), run('b', 400)]).map(({ predicted_s }) => Math.round(predicted_s))).toEqual([400, 100])
  })
})
