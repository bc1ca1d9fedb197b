import { expect, test } from 'vitest'
import { chanceOf, chanceOfBoth, type Headroom } from './chance.ts'

/** Held with a chance of 0.95 by an error of steps alone. */
const steps = (slope: number): Headroom => ({ room: 1.6449 * slope, slope, rest: 0 })

test('one error that moves both times is counted once', () => {
  expect(chanceOf(steps(0.2))).toBeCloseTo(0.95, 4)
  expect(chanceOfBoth(steps(0.1), steps(0.2))).toBeCloseTo(0.95, 2)
})

test('errors that have nothing in common are counted both', () => {
  const alone: Headroom = { room: 1.6449 * 0.5, slope: 0, rest: 0.5 }
  expect(chanceOfBoth(alone, steps(0.2))).toBeCloseTo(0.95 ** 2, 4)
})

test('what lies between is neither', () => {
  const first: Headroom = { room: 1.6449 * Math.hypot(0.3, 0.4), slope: 0.3, rest: 0.4 }
  // Two normal variables with a correlation of 0.6, both below 1.6449: 0.9155 by quadrature.
  expect(chanceOfBoth(first, steps(0.2))).toBeCloseTo(0.9155, 3)
})

test('a time that is never late, or always, decides nothing or all', () => {
  const sure: Headroom = { room: Infinity, slope: 0, rest: 0.5 }
  expect(chanceOfBoth(sure, steps(0.2))).toBeCloseTo(0.95, 4)
  expect(chanceOfBoth(steps(0.2), sure)).toBeCloseTo(0.95, 2)
  const never: Headroom = { room: -Infinity, slope: 0, rest: 0 }
  expect(chanceOfBoth(never, steps(0.2))).toBe(0)
  expect(chanceOfBoth(steps(0), never)).toBe(0)
})
