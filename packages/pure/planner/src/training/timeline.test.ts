import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Replayed, timeline } from './timeline.ts'

const equal = (pipeline: number, send = 0): { forward: number; backward: number; send: number }[] =>
  Array.from({ length: pipeline }, () => ({ forward: 1, backward: 2, send }))

describe('equal stages', () => {
  test.each([
    [1, 4],
    [4, 4],
    [4, 16],
    [8, 32],
  ])('1F1B on %d stages, %d microbatches, takes (m + p - 1)(F + B)', (pipeline, microbatches) => {
    expect(timeline({ stages: equal(pipeline), microbatches, schedule: '1f1b', virtual: 1 }).span).toBeCloseTo(
      (microbatches + pipeline - 1) * 3,
      9,
    )
  })

  test('GPipe takes as long as 1F1B', () => {
    expect(timeline({ stages: equal(4), microbatches: 8, schedule: 'gpipe', virtual: 1 }).span).toBeCloseTo(11 * 3, 9)
  })

  test.each([
    [4, 8, 2],
    [4, 16, 4],
    [8, 32, 3],
  ])('interleaving on %d stages, %d microbatches, %d chunks divides the bubble by the chunks', (pipeline, microbatches, virtual) => {
    expect(timeline({ stages: equal(pipeline), microbatches, schedule: 'interleaved', virtual }).span).toBeCloseTo(
      3 * (microbatches + (pipeline - 1) / virtual),
      9,
    )
  })
})

const cases = fc.record({
  stages: fc.array(
    fc.record({
      forward: fc.double({ min: 0.5, max: 2, noNaN: true }),
      backward: fc.double({ min: 1, max: 4, noNaN: true }),
      send: fc.constantFrom(0, 0.05),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  rounds: fc.integer({ min: 1, max: 4 }),
  schedule: fc.constantFrom<Replayed>('gpipe', '1f1b', 'interleaved'),
  virtual: fc.integer({ min: 2, max: 4 }),
})

test('nothing overlaps on a stage, every pass runs once, the span is bounded by work below and by a serial run above', () => {
  fc.assert(
    fc.property(cases, ({ stages, rounds, schedule, virtual }) => {
      const microbatches = rounds * stages.length
      const chunks = schedule === 'interleaved' ? virtual : 1
      const { span, events } = timeline({ stages, microbatches, schedule, virtual: chunks })
      expect(events).toHaveLength(2 * microbatches * chunks * stages.length)
      stages.forEach(({ forward, backward }, stage) => {
        const own = events.filter((event) => event.stage === stage).toSorted((a, b) => a.start - b.start)
        expect(own.every((event, index) => index === 0 || event.start >= (own[index - 1]?.end ?? 0) - 1e-9)).toBe(true)
        expect(span).toBeGreaterThanOrEqual(microbatches * (forward + backward) - 1e-9)
      })
      expect(span).toBeLessThanOrEqual(
        microbatches * stages.reduce((sum, { forward, backward, send }) => sum + forward + backward + 2 * send, 0) + 1e-9,
      )
    }),
    { numRuns: 200 },
  )
})

test('the closed form of the search is right for one slow stage, and never far off', () => {
  fc.assert(
    fc.property(cases, ({ stages, rounds }) => {
      const microbatches = (rounds + 3) * stages.length
      const periods = stages.map(({ forward, backward, send }) => forward + backward + send)
      const closed = periods.reduce((sum, period) => sum + period, 0) + (microbatches - 1) * Math.max(...periods)
      const { span } = timeline({ stages, microbatches, schedule: '1f1b', virtual: 1 })
      expect(span / closed).toBeGreaterThan(0.85)
      expect(span / closed).toBeLessThan(1.15)
    }),
    { numRuns: 200 },
  )
})
