import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { simulateRunAnswer } from './simulate.ts'
import { bins } from './simulate-text.ts'

const PLAN = join(import.meta.dirname, '../../../../../tests/fixtures/before.plan.json')

describe('simulate run', () => {
  const answer = simulateRunAnswer(PLAN, { replicas: '20', seed: '1', deadline: '60d' })

  test('answers with shares that are whole and a histogram of all runs', () => {
    const { outcome, histogram, decisions, mix, failures, assumed } = answer.json as {
      outcome: { shares: Record<string, number>; walls_s?: unknown }
      histogram: { replicas: number }[]
      decisions: object
      mix: { mixes: unknown[] }
      failures: Record<string, number>
      assumed: { from: string }[]
    }
    expect(Object.values(outcome.shares).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12)
    expect(outcome.walls_s).toBeUndefined()
    expect(histogram.reduce((sum, { replicas }) => sum + replicas, 0)).toBe(20)
    expect(Object.keys(decisions)).toEqual(['interval', 'spares', 'elastic', 'hang', 'worth'])
    expect(mix.mixes.length).toBeGreaterThan(1)
    expect(Object.keys(failures)).toContain('silent corruption')
    for (const { from } of assumed) expect(from).not.toBe('')
  })

  test('shows the distribution, the losses and what to decide', () => {
    for (const part of [
      'with failures',
      'the run ends after',
      'where the time goes',
      'checkpoint interval',
      'spare nodes',
      'what would help',
    ])
      expect(answer.text()).toContain(part)
  })

  test('refuses a file without a plan', () => {
    const file = join(PLAN, '../config.json')
    expect(() => simulateRunAnswer(file, { replicas: '2', seed: '1' })).toThrow('it holds no training plan')
  })

  test('runs that all end together are one part of the histogram', () => {
    expect(bins([7, 7])).toEqual([{ from_s: 7, to_s: 7, replicas: 2 }])
  })
})
