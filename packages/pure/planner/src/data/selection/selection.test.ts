// Worked examples of Machine Learning Systems vol. 1, Data Selection and Data Engineering; the ids are those of the law book's examples.

import { fc, test as property } from '@fast-check/vitest'
import { HOUR } from '@ironlaw/units'
import { describe, expect, test } from 'vitest'
import { type ScoredSample, selectCoreset, uniformShortfalls } from './coreset.ts'
import { epochsFor, worthOfEpochs } from './epochs.ts'
import { judgeSelection, proxyCost, type SelectionPlan } from './judge-selection.ts'
import { dataPlacement } from './placement.ts'
import { rescoringAdvice, rescoringInterval, scoreStaleness } from './staleness.ts'

describe('the gate of a selection', () => {
  const plan: SelectionPlan = { pool: 1e6, subset: 1e5, epochs: 100, score_s: 0.01, sample_s: 0.01 }

  test('W121: scoring a million samples with the model itself takes exactly a tenth and passes, a proxy more so', () => {
    const own = judgeSelection(plan)
    expect(own.passes).toBe(true)
    expect(own.figures.selection_s / HOUR).toBeCloseTo(2.78, 2)
    expect(own.figures.total_s / HOUR).toBeCloseTo(30.56, 2)
    expect(own.figures.saved_s / HOUR).toBeCloseTo(247.2, 1)
    const proxy = judgeSelection({ ...plan, score_s: 0.002 })
    expect(proxy.passes).toBe(true)
    expect(proxy.figures.total_s / HOUR).toBeCloseTo(28.33, 2)
    expect(proxy.figures.overhead).toBeCloseTo(0.02, 6)
  })

  test('W122: 50 h of selection save time and still break the rule of a tenth', () => {
    const verdict = judgeSelection({ ...plan, score_s: (50 * HOUR) / 1e6 })
    expect(verdict).toMatchObject({ passes: false, broken: ['overhead'] })
    expect(verdict.figures.total_s / HOUR).toBeCloseTo(77.8, 1)
  })

  test('W123: scored once a selection is nine times faster, scored every epoch slower than no selection', () => {
    expect(judgeSelection(plan).figures.baseline_s / judgeSelection(plan).figures.total_s).toBeCloseTo(9.09, 2)
    const verdict = judgeSelection({ ...plan, scorings: 100 })
    expect(verdict).toMatchObject({ passes: false, broken: ['slower', 'overhead'] })
    expect(verdict.figures.total_s / verdict.figures.baseline_s).toBeCloseTo(1.1, 6)
    expect(verdict.passes || verdict.next[0]).toBe('score at most 1 times instead of 100')
  })

  test('W129: 67 min of selection for a tenth of the data break even at 1.24 h of training, and meet the rule of a tenth only from 11.2 h of the subset on', () => {
    const select = (train_h: number) =>
      judgeSelection({ pool: 1.2e6, subset: 1.2e5, epochs: 1, score_s: 4020 / 1.2e6, sample_s: (train_h * HOUR) / 1.2e6 })
    expect(select(12).figures.breakEven_s / HOUR).toBeCloseTo(1.24, 2)
    expect(select(1.2)).toMatchObject({ passes: false, broken: ['slower', 'overhead'] })
    expect(select(12)).toMatchObject({ passes: false, broken: ['overhead'] })
    expect(select(111).passes).toBe(false)
    expect(select(112).passes).toBe(true)
  })

  test('W133: 10 h of selection for 2 h of training are refused, half an hour for 8 h passes', () => {
    const select = (selection_h: number, train_h: number) =>
      judgeSelection({ pool: 1000, subset: 100, epochs: 1, score_s: (selection_h * HOUR) / 1000, sample_s: (train_h * HOUR) / 100 })
    expect(select(10, 2)).toMatchObject({ passes: false })
    expect(select(10, 2).figures.overhead).toBeCloseTo(5, 6)
    expect(select(0.5, 8).passes).toBe(true)
    expect(select(0.5, 8).figures.overhead).toBeCloseTo(0.0625, 6)
  })

  test('a subset that is the pool is refused, whatever scoring costs', () => {
    expect(judgeSelection({ ...plan, subset: 1e6, score_s: 0 })).toMatchObject({ passes: false, broken: ['slower'] })
  })

  const time = fc.double({ min: 1e-6, max: 1, noNaN: true })
  property.prop([fc.integer({ min: 10, max: 1e6 }), fc.double({ min: 0.01, max: 0.9, noNaN: true }), time, time], { numRuns: 100 })(
    'what a refusal asks for makes the plan pass',
    (pool, share, score_s, sample_s) => {
      const before: SelectionPlan = { pool, subset: Math.max(1, Math.floor(pool * share)), epochs: 3, score_s, sample_s }
      const { passes, figures } = judgeSelection(before)
      if (passes) return
      const room_s = Math.min(0.1 * figures.train_s, figures.baseline_s - figures.train_s)
      expect(judgeSelection({ ...before, score_s: (0.999 * room_s) / pool }).passes).toBe(true)
    },
  )

  test('a proxy costs two operations a parameter and token to score, six to train', () => {
    const { score, prepare } = proxyCost({ params: 1e8, tokens: 1e10, devices: 8, peak_flops: 1e15, efficiency: 0.4, trainEpochs: 5 })
    expect(score.value).toBeCloseTo((2 * 1e8 * 1e10) / (8 * 1e15 * 0.4), 6)
    expect(prepare.value / score.value).toBeCloseTo(15, 9)
  })
})

describe('coresets', () => {
  const sample = (id: string, score: number, name: string): ScoredSample => ({ id, score, class: name })

  test('W134: of a million samples with 0.1 % of a rare class, a uniform tenth keeps 100 of it, below the minimum of 150', () => {
    expect(uniformShortfalls({ common: 999_000, rare: 1000 }, { share: 0.1, least: 150 })).toEqual([
      { class: 'rare', kept: 100, least: 150 },
    ])
  })

  test('a minimum keeps a rare class that scores would drop', () => {
    const pool = Array.from({ length: 20_000 }, (_, i) =>
      sample(`${i}`, i % 100 === 0 ? 0 : 1 + ((i * 7919) % 1000), i % 100 === 0 ? 'rare' : 'common'),
    )
    const without = selectCoreset(pool, { keep: 2000, least: 0 })
    const with150 = selectCoreset(pool, { keep: 2000, least: 150 })
    const rare = (coreset: typeof without) => (coreset.ok ? coreset.classes.find((each) => each.class === 'rare') : undefined)
    expect(rare(without)).toEqual({ class: 'rare', pool: 200, kept: 0, short: 0 })
    expect(rare(with150)).toEqual({ class: 'rare', pool: 200, kept: 150, short: 0 })
    expect(with150.ok && with150.kept.length).toBe(2000)
  })

  test('equal scores are decided by id, and a class smaller than its minimum is kept whole and named', () => {
    const pool = [sample('b', 1, 'x'), sample('a', 1, 'x'), sample('c', 1, 'x'), sample('d', 0, 'y')]
    expect(selectCoreset(pool, { keep: 2, least: { y: 5 } })).toEqual({
      ok: true,
      kept: [sample('a', 1, 'x'), sample('d', 0, 'y')],
      classes: [
        { class: 'x', pool: 3, kept: 1, short: 0 },
        { class: 'y', pool: 1, kept: 1, short: 4 },
      ],
    })
  })

  test('minimums that do not fit and samples without a score are refused', () => {
    const pool = [sample('a', 1, 'x'), sample('b', 1, 'y')]
    expect(selectCoreset(pool, { keep: 1, least: 1 })).toMatchObject({ ok: false, reason: expect.stringContaining('need 2 samples') })
    expect(selectCoreset([sample('a', Number.NaN, 'x')], { keep: 1, least: 0 })).toMatchObject({
      ok: false,
      reason: expect.stringContaining('NaN'),
    })
  })

  const samples = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.constantFrom('x', 'y', 'z')), { maxLength: 60 })
    .map((list) => list.map(([score, name], i) => sample(String(i).padStart(2, '0'), score, name)))

  property.prop([samples, fc.nat(60), fc.nat(8)])(
    'does not depend on order, and a coreset of coresets of parts is that of the whole',
    (pool, cut, least) => {
      const request = { keep: 24, least }
      const whole = selectCoreset(pool, request)
      expect(selectCoreset(pool.toReversed(), request)).toEqual(whole)
      if (!whole.ok) throw new Error('three classes of at most eight need no more than 24')
      const parts = [pool.slice(0, cut), pool.slice(cut)].flatMap((part) => {
        const coreset = selectCoreset(part, request)
        return coreset.ok ? coreset.kept : []
      })
      const merged = selectCoreset(parts, request)
      expect(merged.ok && merged.kept).toEqual(whole.kept)
    },
  )
})

describe('staleness of scores', () => {
  test('is how much of a selection a later scoring would not keep', () => {
    const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => ({ id: `${from + i}` }))
    expect(scoreStaleness(ids(0, 100), ids(5, 105), 1000)).toEqual({ agreement: 0.95, byChance: 0.1, isStale: false })
    expect(scoreStaleness(ids(0, 100), ids(30, 130), 1000)).toMatchObject({ agreement: 0.7, isStale: true })
  })

  test('W123: one scoring within the rule of a tenth means never again during training', () => {
    expect(rescoringInterval(100, 1)).toBe(100)
    expect(rescoringInterval(100, 5.7)).toBe(20)
    expect(rescoringInterval(100, 0.5)).toBe(Infinity)
  })

  test('advises another scoring when it is due, or when much of the pool has no score', () => {
    expect(rescoringAdvice({ epochs: 3, unscored: 0 }, { every: 10, pool: 1000 })).toEqual({ rescore: false })
    expect(rescoringAdvice({ epochs: 10, unscored: 80 }, { every: 10, pool: 1000 })).toMatchObject({ rescore: true, why: { length: 2 } })
  })
})

describe('epochs', () => {
  test('four epochs over 100 B tokens are worth 373 B fresh ones, and each is worth less', () => {
    const { epochs, stopAt } = worthOfEpochs({ uniqueTokens: 100e9, leastGain: 0.5 })
    expect(epochs[3]?.effective).toBeCloseTo(372.567e9, -7)
    for (const [index, { gain }] of epochs.entries()) if (index > 0) expect(gain).toBeLessThan(epochs[index - 1]?.gain ?? 0)
    // A repetition fades as exp(-n / 15.4): half is gone after 10.7 of them, the middle of epoch 12.
    expect(stopAt).toBe(13)
    expect(epochs.at(-1)?.epoch).toBe(12)
  })

  test('no number of epochs is worth more than 16.4 times the text', () => {
    expect(epochsFor(1e9, 16.3e9)).toBeGreaterThan(50)
    expect(epochsFor(1e9, 16.5e9)).toBeUndefined()
    expect(epochsFor(1e9, 0.5e9)).toBe(0.5)
    expect(epochsFor(100e9, 372.567312306e9)).toBeCloseTo(4, 6)
  })
})

describe('move data or move compute', () => {
  const petabyte = { bytes: 1e15, link_bytes_per_s: 12.5e9, egress_usd_per_byte: 0.09e-9 }

  test('W44: a petabyte over 100 Gb/s takes 80,000 s and 90,000 USD, so it stays unless that much is saved', () => {
    const same = dataPlacement({ ...petabyte, here: { time_s: 80_000, cost_usd: 90_000 }, there: { time_s: 10_000, cost_usd: 20_000 } })
    expect(same.move.transfer_s).toBeCloseTo(80_000, 6)
    expect(same.move.transfer_usd).toBeCloseTo(90_000, 6)
    expect(same).toMatchObject({ faster: 'stay', cheaper: 'stay' })
    const slow = dataPlacement({ ...petabyte, here: { time_s: 200_000, cost_usd: 200_000 }, there: { time_s: 10_000, cost_usd: 20_000 } })
    expect(slow).toMatchObject({ faster: 'move', cheaper: 'move' })
  })

  test('gigabytes move: at the break-even both take the same', () => {
    const sites = { here: { time_s: 3600, cost_usd: 10 }, there: { time_s: 600, cost_usd: 4 } }
    const { breakEven } = dataPlacement({ ...petabyte, ...sites })
    const at = dataPlacement({ ...petabyte, ...sites, bytes: breakEven.time_bytes })
    expect(at.move.time_s).toBeCloseTo(3600, 6)
    expect(dataPlacement({ ...petabyte, ...sites, bytes: breakEven.money_bytes }).move.cost_usd).toBeCloseTo(10, 9)
    expect(dataPlacement({ ...petabyte, ...sites, bytes: 1e9 })).toMatchObject({ faster: 'move', cheaper: 'move' })
  })

  test('a link without a price', () => {
    const free = { ...petabyte, egress_usd_per_byte: 0 }
    expect(dataPlacement({ ...free, here: { time_s: 1, cost_usd: 2 }, there: { time_s: 1, cost_usd: 1 } }).breakEven.money_bytes).toBe(
      Infinity,
    )
    expect(dataPlacement({ ...free, here: { time_s: 1, cost_usd: 1 }, there: { time_s: 1, cost_usd: 2 } }).breakEven.money_bytes).toBe(0)
  })
})
