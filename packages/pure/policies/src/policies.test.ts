import { DAY, HOUR } from '@ironlaw/units'
import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { afterFailure, usableNodes } from './after-failure.ts'
import { timeToCheckpoint } from './checkpoint-due.ts'
import { hangTimeout } from './hang-timeout.ts'
import { restorePoint } from './restore-point.ts'

describe('checkpoint due', () => {
  test('a fixed interval stays, an observed one follows the failures', () => {
    const observation = (interruptions: number) => ({ elapsed_s: DAY, interruptions, pause_s: 10 })
    expect(timeToCheckpoint({ kind: 'every', interval_s: 600 }, observation(5))).toBe(600)
    const observed = [0, 5, 50].map((interruptions) =>
      timeToCheckpoint({ kind: 'observed', expectedMtbf_s: DAY }, observation(interruptions)),
    )
    expect(observed).toEqual(observed.toSorted((a, b) => b - a))
    // Two days of expectation and experience without a failure: sqrt(2 x 10 s x 2 d), and Daly's small correction.
    expect(observed[0]).toBeCloseTo(Math.sqrt(2 * 10 * 2 * DAY), -2)
  })
})

describe('after a failure', () => {
  const elastic = { unit: 4, least: 8 }

  test.each([
    [{ needed: 16, missing: 0, spares: 0 }, 'restart'],
    [{ needed: 16, missing: 2, spares: 2 }, 'swap'],
    [{ needed: 16, missing: 2, spares: 1 }, 'shrink'],
    [{ needed: 16, missing: 9, spares: 0 }, 'wait'],
  ] as const)('%o: %s', (situation, kind) => {
    expect(afterFailure(situation, elastic).kind).toBe(kind)
  })

  test('without leave to shrink it waits', () => {
    expect(afterFailure({ needed: 16, missing: 2, spares: 1 }).kind).toBe('wait')
  })

  property.prop([fc.nat(100), fc.integer({ min: 1, max: 9 })])('only whole units work', (present, unit) => {
    const nodes = usableNodes(present, { unit, least: 1 })
    expect(nodes % unit).toBe(0)
    expect(present - nodes).toBeLessThan(unit)
  })
})

describe('restore point', () => {
  test('is the newest that is sound, from the fastest tier that has it', () => {
    const committed = [
      { work: 5, tier: 1 },
      { work: 9, tier: 1 },
      { work: 9, tier: 0 },
      { work: 3, tier: 0 },
    ]
    expect(restorePoint(committed)).toEqual({ work: 9, tier: 0 })
    expect(restorePoint(committed, 8)).toEqual({ work: 5, tier: 1 })
    expect(restorePoint(committed, 2)).toBeUndefined()
    expect(restorePoint([])).toBeUndefined()
  })
})

describe('hang time-out', () => {
  const costs = { hangsPer_s: 1 / DAY, falseAlarm_s: HOUR }

  test('is longer for uneven steps and expensive restarts, shorter for frequent hangs', () => {
    const usual = hangTimeout({ step_s: 10, spread: 0.2 }, costs).timeout_s
    expect(usual).toBeGreaterThan(10)
    expect(hangTimeout({ step_s: 10, spread: 0.4 }, costs).timeout_s).toBeGreaterThan(usual)
    expect(hangTimeout({ step_s: 10, spread: 0.2 }, { ...costs, falseAlarm_s: 10 * HOUR }).timeout_s).toBeGreaterThan(usual)
    expect(hangTimeout({ step_s: 10, spread: 0.2 }, { ...costs, hangsPer_s: 10 / DAY }).timeout_s).toBeLessThan(usual)
  })
})
