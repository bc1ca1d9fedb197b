import { expect, test } from 'vitest'
import fc from 'fast-check'
import { decideSweep, judgeTrial, lossAt, rungsOf, type Trial, trialArguments } from './index.ts'

const FACTOR = 3

test('rungs are a factor apart and below the end', () => {
  expect(rungsOf({ first: 100, factor: 3 }, 2700)).toEqual([100, 300, 900])
})

test('the loss at a step is the mean over the last tenth', () => {
  const steps = Array.from({ length: 200 }, (_, index) => ({ step: index + 1, loss: index + 1 }))
  expect(lossAt(steps, 100)).toBe((91 + 100) / 2)
  expect(lossAt(steps, 201)).toBeUndefined()
})

test('a program that reports every hundredth step is compared by its last report', () => {
  expect(
    lossAt(
      [
        { step: 100, loss: 4 },
        { step: 200, loss: 3 },
      ],
      150,
    ),
  ).toBe(4)
})

test('a trial that diverged is behind every other', () => {
  expect(lossAt([{ step: 10, loss: Infinity }], 10)).toBe(Infinity)
  expect(lossAt([{ step: 10, loss: Number.NaN }], 10)).toBe(Infinity)
})

const trialsWith = (...losses: readonly number[][]): Trial[] => losses.map((own, trial) => ({ trial, isLive: true, losses: own }))

test('one in three goes on, and of fewer than three nobody is stopped', () => {
  const stopped = (...losses: readonly number[][]): readonly number[] =>
    decideSweep({
      trials: trialsWith(...losses),
      count: losses.length,
      atOnce: losses.length,
      stopping: { first: 1, factor: FACTOR },
    }).stop.map(({ trial }) => trial)
  expect(stopped([5], [4])).toEqual([])
  expect(stopped([5], [4], [3])).toEqual([0, 1])
  expect(stopped([5], [4], [3, 9], [])).toEqual([0, 1])
})

test('of two with the same loss the one that was started first goes on', () => {
  expect(judgeTrial({ trial: 0, isLive: true, losses: [1] }, trialsWith([1], [1], [1]), FACTOR)?.place).toBe(1)
})

const losses = fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 0, maxLength: 4 })
const anyTrials = fc.array(losses, { minLength: 1, maxLength: 30 }).map((all) => trialsWith(...all))

test('the best at a rung is never stopped, and slots are never exceeded', () => {
  fc.assert(
    fc.property(anyTrials, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 2, max: 5 }), (trials, atOnce, factor) => {
      const { stop, start } = decideSweep({ trials, count: trials.length + 5, atOnce, stopping: { first: 1, factor } })
      for (const { place } of stop) expect(place).toBeGreaterThan(1)
      expect(trials.length + start.length).toBeLessThanOrEqual(Math.max(atOnce, trials.length))
      expect(start.every((trial) => trial >= trials.length)).toBe(true)
    }),
  )
})

const LEARNING_RATE = { from: 1e-5, to: 1e-1, scale: 'log' } as const

test('trials cover a range evenly, and more of them leave the first as they were', () => {
  const varied = { '--lr': LEARNING_RATE, '--width': { from: 1, to: 8, scale: 'linear', whole: true } } as const
  const some = trialArguments({ arguments: varied, trials: 16 })
  const more = trialArguments({ arguments: varied, trials: 64 })
  expect(more.slice(0, 16)).toEqual(some)
  for (let decade = -5; decade < -1; decade += 1) {
    const inside = some.filter((own) => Number(own['--lr']) >= 10 ** decade && Number(own['--lr']) < 10 ** (decade + 1))
    expect(inside.length).toBeGreaterThanOrEqual(3)
    expect(inside.length).toBeLessThanOrEqual(5)
  }
  expect(new Set(more.map((own) => own['--width'])).size).toBe(8)
})

test('every combination of listed values is tried once', () => {
  const all = trialArguments({ arguments: { a: { values: [1, 2] }, b: { values: ['x', 'y', 'z'] } } })
  expect(new Set(all.map((own) => JSON.stringify(own))).size).toBe(6)
})

test('arguments stay within their range', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 1e-6, max: 1, noNaN: true }),
      fc.double({ min: 1.5, max: 1000, noNaN: true }),
      fc.constantFrom('linear' as const, 'log' as const),
      (from, ratio, scale) => {
        const to = from * ratio
        for (const own of trialArguments({ arguments: { x: { from, to, scale } }, trials: 50 })) {
          expect(Number(own['x'])).toBeGreaterThanOrEqual(from * 0.999)
          expect(Number(own['x'])).toBeLessThanOrEqual(to * 1.001)
        }
      },
    ),
  )
})
