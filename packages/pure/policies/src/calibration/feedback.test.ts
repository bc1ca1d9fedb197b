import fc from 'fast-check'
import { expect, test } from 'vitest'
import { WORK_CLASSES, type WorkClass } from '@ironlaw/contracts'
import { type Corrections, learnedCorrections, LEARNING_LIMITS, type WorkObservation } from './feedback.ts'

const OPTIONS = { prior: () => 0.15 }

const steadyRun = (ratio: number, changed: Partial<WorkObservation> = {}): WorkObservation => ({
  run: 'a',
  ranks: 4,
  work: 'compute',
  predicted_s: 0.2,
  correction: 1,
  step_s: 0.3,
  seconds: Array.from({ length: 40 }, (_, step) => 0.2 * ratio * (1 + 0.01 * ((step % 5) - 2))),
  ...changed,
})

const factorOf = (corrections: Corrections, ranks = 4, work: WorkClass = 'compute') => corrections[ranks]?.[work]?.factor

test('a run a fifth slower than predicted makes the next prediction a fifth slower', () => {
  const { corrections, refused } = learnedCorrections({}, [steadyRun(1.2)], OPTIONS)
  expect(refused).toEqual([])
  expect(factorOf(corrections)).toBeCloseTo(1.2, 6)
})

test('a run predicted with a correction in force implies the same factor as one predicted without', () => {
  const corrected = steadyRun(1.2, { predicted_s: 0.24, correction: 1.2 })
  expect(factorOf(learnedCorrections({}, [corrected], OPTIONS).corrections)).toBeCloseTo(1.2, 6)
})

test.each<[string, WorkObservation, string]>([
  ['too few steps', steadyRun(1.2, { seconds: [0.2, 0.2] }), '2 steps, fewer than 12'],
  ['a negative time', steadyRun(1.2, { seconds: steadyRun(1).seconds.with(3, -1) }), 'a measured time is negative or not a number'],
  [
    'a time that is not a number',
    steadyRun(1.2, { seconds: steadyRun(1).seconds.with(3, Number.NaN) }),
    'a measured time is negative or not a number',
  ],
  ['another job than the plan', steadyRun(9), 'it took 9.00 times the prediction, so this run does not match its plan'],
  ['a plan without the class', steadyRun(1, { predicted_s: 0 }), 'the plan predicts no time for it'],
  ['a class that hardly counts', steadyRun(1, { step_s: 1000 }), 'less than 0.3 % of the step'],
  [
    'a disturbed run',
    steadyRun(1, { seconds: Array.from({ length: 40 }, (_, step) => (step % 2 === 0 ? 0.1 : 0.4)) }),
    'steps differ by 89 %: the run was disturbed',
  ],
])('%s moves nothing and says why', (_, bad, reason) => {
  const before = learnedCorrections({}, [steadyRun(1.3)], OPTIONS).corrections
  expect(learnedCorrections(before, [bad], OPTIONS)).toEqual({ corrections: before, refused: [{ run: 'a', work: 'compute', reason }] })
})

test('one run far from five others is left out', () => {
  const runs = [1.1, 1.12, 1.09, 1.11, 1.1].map((ratio, index) => steadyRun(ratio, { run: `run-${index}` }))
  const { corrections, refused } = learnedCorrections({}, [...runs, steadyRun(2.5, { run: 'odd' })], OPTIONS)
  expect(refused).toEqual([{ run: 'odd', work: 'compute', reason: 'an outlier among the runs of its kind' }])
  expect(factorOf(corrections)).toBeCloseTo(1.1, 2)
})

test('one round moves a factor no further than twice', () => {
  expect(factorOf(learnedCorrections({}, [steadyRun(3.5)], OPTIONS).corrections)).toBeCloseTo(LEARNING_LIMITS.step, 9)
})

test('the spread narrows as runs agree, and widens again when they stop agreeing', () => {
  const spread = (runs: readonly WorkObservation[]): number =>
    learnedCorrections({}, runs, OPTIONS).corrections['4']?.compute?.spread ?? Number.NaN
  const agreeingRuns = (count: number) =>
    Array.from({ length: count }, (_, index) => steadyRun(1.2 + 0.002 * (index % 3), { run: `${index}` }))
  expect(spread(agreeingRuns(1))).toBeLessThan(0.15)
  expect(spread(agreeingRuns(4))).toBeLessThan(spread(agreeingRuns(1)))
  expect(spread(agreeingRuns(16))).toBeLessThan(spread(agreeingRuns(4)))
  expect(spread([steadyRun(0.8), steadyRun(1.4, { run: 'b' })])).toBeGreaterThan(spread(agreeingRuns(2)))
})

const anyObservation = fc.record({
  run: fc.string({ minLength: 1, maxLength: 4 }),
  ranks: fc.constantFrom(1, 2, 4),
  work: fc.constantFrom(...WORK_CLASSES),
  predicted_s: fc.double({ min: 0, max: 1, noNaN: false }),
  correction: fc.double({ min: 0.5, max: 2, noNaN: true }),
  step_s: fc.double({ min: 0.1, max: 2, noNaN: true }),
  seconds: fc.array(fc.double({ noNaN: false }), { maxLength: 40 }),
})
const goodObservation = fc
  .tuple(
    fc.double({ min: 0.6, max: 1.6, noNaN: true }),
    fc.constantFrom(1, 2, 4),
    fc.constantFrom(...WORK_CLASSES),
    fc.string({ minLength: 1, maxLength: 6 }),
  )
  .map(([ratio, ranks, work, run]) => steadyRun(ratio, { ranks, work, run }))

test('property: whatever comes, every factor is finite, positive and within one step of where it was', () => {
  fc.assert(
    fc.property(
      fc.array(goodObservation, { maxLength: 6 }),
      fc.array(fc.oneof(anyObservation, goodObservation), { maxLength: 12 }),
      (first, then) => {
        const before = learnedCorrections({}, first, OPTIONS).corrections
        for (const [ranks, classes] of Object.entries(learnedCorrections(before, then, OPTIONS).corrections))
          for (const work of WORK_CLASSES) {
            const { factor, spread } = classes[work] ?? { factor: 1, spread: 1 }
            const old = before[ranks]?.[work]?.factor ?? 1
            expect(Number.isFinite(factor) && Number.isFinite(spread)).toBe(true)
            expect(factor / old).toBeLessThanOrEqual(LEARNING_LIMITS.step * (1 + 1e-9))
            expect(factor / old).toBeGreaterThanOrEqual((1 - 1e-9) / LEARNING_LIMITS.step)
          }
      },
    ),
  )
})

test('property: bad data never moves an entry', () => {
  const bad = fc.oneof(
    goodObservation.map((row) => ({ ...row, seconds: row.seconds.slice(0, LEARNING_LIMITS.steps - 1) })),
    goodObservation.map((row) => ({ ...row, seconds: row.seconds.map((time) => time * 9) })),
    goodObservation.map((row) => ({ ...row, seconds: row.seconds.with(0, Number.POSITIVE_INFINITY) })),
    goodObservation.map((row) => ({ ...row, predicted_s: Number.NaN })),
  )
  fc.assert(
    fc.property(fc.array(goodObservation, { maxLength: 8 }), fc.array(bad, { minLength: 1, maxLength: 8 }), (good, rows) => {
      const without = learnedCorrections({}, good, OPTIONS)
      const withBad = learnedCorrections({}, [...good, ...rows], OPTIONS)
      expect(withBad.corrections).toEqual(without.corrections)
      expect(withBad.refused.length).toBe(without.refused.length + rows.length)
    }),
  )
})

test('property: the order of runs does not matter, to the last bit', () => {
  const shuffled = fc
    .array(goodObservation, { minLength: 2, maxLength: 12 })
    .chain((rows) => fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length, maxLength: rows.length })))
  fc.assert(
    fc.property(shuffled, ([rows, others]) => {
      expect(learnedCorrections({}, others, OPTIONS).corrections).toEqual(learnedCorrections({}, rows, OPTIONS).corrections)
    }),
  )
})
