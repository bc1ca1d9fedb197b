import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Schedule } from '../strategy.ts'
import { type StagePass, timeline } from './timeline.ts'

const equal = (pipeline: number, pass: Partial<StagePass> = {}): StagePass[] =>
  Array.from({ length: pipeline }, () => ({ forward: 1, backward: 2, send: 0, ...pass }))

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

describe('split backward passes, equal stages', () => {
  const bubble = (schedule: Schedule, pipeline: number, microbatches: number, pass: Partial<StagePass> = {}): number => {
    const { forward, backward } = { ...equal(1)[0], ...pass }
    return (
      timeline({ stages: equal(pipeline, pass), microbatches, schedule, virtual: 1 }).span -
      microbatches * ((forward ?? 0) + (backward ?? 0))
    )
  }

  // Qi et al. 2023, table 1: (p - 1)(F + B - W), B being the input part; in the terms here (p - 1)(F + B - 2W).
  test.each([
    [4, 8, 1, 2, 1],
    [8, 24, 1, 2, 1],
    [4, 12, 1, 1.9, 0.9],
    [4, 12, 1.2, 2.2, 0.9],
  ])('ZB-H1 on %d stages, %d microbatches, F %d B %d W %d', (pipeline, microbatches, forward, backward, weight) =>
    expect(bubble('zero-bubble', pipeline, microbatches, { forward, backward, weight })).toBeCloseTo(
      (pipeline - 1) * (forward + backward - 2 * weight),
      9,
    ),
  )

  // DeepSeek-V3 report, table 2: (p / 2 - 1)(F&B + B - 3W), with F&B as long as both after each other. It takes the input part of a backward
  // pass to be as long as a forward pass, B = F + W.
  test.each([
    [2, 8, 1, 2, 1],
    [4, 8, 1, 2, 1],
    [8, 20, 1, 2, 1],
    [16, 64, 1, 2, 1],
    [8, 20, 1.1, 2, 0.9],
  ])('DualPipe on %d stages, %d microbatches, F %d B %d W %d', (pipeline, microbatches, forward, backward, weight) =>
    expect(bubble('dualpipe', pipeline, microbatches, { forward, backward, weight })).toBeCloseTo(
      (pipeline / 2 - 1) * (forward + 2 * backward - 3 * weight),
      9,
    ),
  )

  // By hand for 4 stages and 8 microbatches, F 1, B 2.2, W 1: the first rank works 8 x 3.2 = 25.6. It waits 1 for the second rank's first whole
  // backward pass (8.2 to 11.4 there, with a forward pass; needed at 10.4), 1 for its next (14.6 to 17.8; needed at 16.8), and 0.2 for its
  // last input part (until 25.6; wanted at 25.4): 2.2, and not the 2.4 of the form above. What the input part takes beyond a forward pass
  // is hidden in the wait for the first backward pass, up to one forward pass in all.
  test.each([
    [4, 8, 1, 2.2, 1, 2.2],
    [8, 20, 1, 2.2, 1, 6.6],
    [16, 64, 1, 2.2, 1, 15.8],
    [4, 12, 1, 3, 1, 3],
    [8, 40, 1, 3, 1, 11],
    [8, 20, 0.9, 2.2, 1, 6],
  ])(
    'DualPipe on %d stages, %d microbatches, F %d B %d W %d, with a long input part, idles %d',
    (pipeline, microbatches, forward, backward, weight, idle) => {
      const report = (pipeline / 2 - 1) * (forward + 2 * backward - 3 * weight)
      expect(bubble('dualpipe', pipeline, microbatches, { forward, backward, weight })).toBeCloseTo(idle, 9)
      expect(idle).toBeCloseTo(report - Math.min(forward, (pipeline / 2 - 1) * (backward - weight - forward)), 9)
    },
  )

  test('DualPipe with a short input part waits for forward passes instead: two for each further pair of stages', () =>
    expect(bubble('dualpipe', 8, 20, { forward: 1, backward: 2, weight: 1.1 })).toBeCloseTo(6, 9))

  test('both leave less of a bubble than 1F1B when stages are unequal', () => {
    const stages = equal(8).map((pass, at) => (at === 3 ? { ...pass, forward: 1.2, backward: 2.3 } : pass))
    const span = (schedule: Schedule): number => timeline({ stages, microbatches: 20, schedule, virtual: 1 }).span
    expect(span('zero-bubble')).toBeLessThan(span('1f1b'))
    expect(span('dualpipe')).toBeLessThan(span('1f1b'))
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
  schedule: fc.constantFrom<Schedule>('gpipe', '1f1b', 'interleaved', 'zero-bubble'),
  virtual: fc.integer({ min: 2, max: 4 }),
})

test('nothing overlaps on a stage, every pass runs once, the span is bounded by work below and by a serial run above', () => {
  fc.assert(
    fc.property(cases, ({ stages, rounds, schedule, virtual }) => {
      const microbatches = rounds * stages.length
      const chunks = schedule === 'interleaved' ? virtual : 1
      const { span, events } = timeline({ stages, microbatches, schedule, virtual: chunks })
      expect(events).toHaveLength((schedule === 'zero-bubble' ? 3 : 2) * microbatches * chunks * stages.length)
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

test('DualPipe runs every pass of both directions once, whatever the stages', () => {
  fc.assert(
    fc.property(cases, ({ stages, rounds }) => {
      const even = [...stages, ...stages]
      const microbatches = 2 * even.length + 2 * rounds
      const { span, events } = timeline({ stages: even, microbatches, schedule: 'dualpipe', virtual: 1 })
      for (const made of [['forward'], ['backward', 'weight']]) {
        const passes = events
          .filter(({ pass }) => made.includes(pass))
          .map(({ stage, chunk, microbatch }) => `${stage} ${chunk} ${microbatch}`)
        expect(new Set(passes).size).toBe(microbatches * even.length)
        expect(passes).toHaveLength(microbatches * even.length)
      }
      const period = Math.max(
        ...even.map(({ forward, backward }, at) => {
          const opposite = even[even.length - 1 - at] ?? { forward: 0, backward: 0 }
          return (forward + backward + opposite.forward + opposite.backward) / 2
        }),
      )
      expect(span).toBeGreaterThanOrEqual(microbatches * period - 1e-9)
    }),
    { numRuns: 100 },
  )
})
