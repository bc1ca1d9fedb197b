import { fc, test as propertyTest } from '@fast-check/vitest'
import { END_REASONS, RUN_STATES } from '@ironlaw/contracts'
import { LEDGER, TIME_CAUSES } from '@ironlaw/contracts/ledger'
import { describe, expect, test } from 'vitest'
import { closedBooks, ledgerOf, type RunWithSteps } from './account.fixture.ts'
import { ticks } from './books.ts'
import type { StepFact } from './facts.ts'

type AttemptWithSteps = RunWithSteps['attempts'][number]

const step = (number: number, at: number, over: Partial<StepFact> = {}): StepFact => ({
  step: number,
  at,
  seconds: 10,
  phases_s: { data: 1, compute: 5, communication: 2, optimizer: 1 },
  slowest: { compute_s: 6 },
  ...over,
})

/**
 * By hand, on 2 nodes of 2. Attempt 1: steps 1 to 3 end at 60, 70, 80; a checkpoint at step 2; a rank dies at 84, seen at 90. Attempt 2
 * has one node, restores step 2, does steps 3 and 4 (the latter after a pause of 1 s that no row reports), saves for 2 s, ends.
 */
const TWO_ATTEMPTS: RunWithSteps = {
  run: 'tiny-1',
  state: 'succeeded',
  createdAt: 0,
  until: 170,
  nodes: 2,
  processesPerNode: 2,
  attempts: [
    {
      number: 1,
      nodes: 2,
      submittedAt: 5,
      startedAt: 20,
      attachedAt: 30,
      faultAt: 84,
      endedAt: 90,
      outcome: { cause: 'rank-died', detail: 'rank 3: signal 9' },
      saved: { step: 2, pause_s: 1 },
      steps: [step(1, 60), step(2, 70), step(3, 80)],
    },
    {
      number: 2,
      nodes: 1,
      submittedAt: 100,
      startedAt: 110,
      attachedAt: 115,
      endedAt: 168,
      outcome: { cause: 'completed', detail: '' },
      restored: 2,
      saved: { step: 4, pause_s: 2 },
      steps: [step(3, 140), step(4, 151)],
    },
  ],
  predicted: {
    step_s: 8,
    causes_s: { products: 5, optimizer: 1, data: 1, straggler: 1 },
    mfu: 0.5,
    cost_usd: 64,
    energy_j: 32_000,
    carbon_g: 16,
    duration_s: 8,
    devices: 4,
  },
}

const measuredCauses = (run: RunWithSteps): Record<string, number> =>
  Object.fromEntries(ledgerOf(run).causes.flatMap(({ cause, accelerator_s }) => (accelerator_s > 0 ? [[cause, accelerator_s]] : [])))

describe('two attempts, by hand', () => {
  test('every accelerator-second has one cause', () => {
    expect(measuredCauses(TWO_ATTEMPTS)).toEqual({
      queue: 4 * 5,
      allocation: 4 * 15,
      start: 4 * 10 + 2 * 5,
      load: 4 * 20 + 2 * 15,
      // Of 10 s: 6 s compute and optimizer, 1 s data, 1 s waiting for the slowest within 2 s of exchange, 1 s unaccounted for.
      compute: 4 * 12 + 2 * 12,
      'exposed communication': 4 * 2 + 2 * 2,
      straggler: 4 * 2 + 2 * 2,
      'data stall': 4 * 2 + 2 * 2,
      other: 4 * 2 + 2 * (2 + 1),
      checkpoint: 2 * 2,
      // Step 3 of the first attempt, and 4 s of its step 4 until the rank died.
      'lost work': 4 * 14,
      detection: 4 * 6,
      // Given up until the next is asked for, and until that one has nodes.
      recovery: 4 * 10 + 2 * 10,
      'smaller than planned': 2 * 68,
      'idle tail': 2 * 15 + 4 * 2,
    })
  })

  test('next to the prediction, with money and goodput', () => {
    const ledger = LEDGER.parse(ledgerOf(TWO_ATTEMPTS))
    const entry = (cause: string) => ledger.causes.find((each) => each.cause === cause)
    expect(ledger).toMatchObject({ steps: 4, accelerators: 4, wall_s: 170 })
    expect(entry('compute')).toMatchObject({ accelerator_s: 72, predicted_accelerator_s: 4 * 4 * 6, cost_usd: 144 })
    expect(entry('exposed communication')).toMatchObject({ predicted_accelerator_s: 4 * 4 * 1 })
    expect(entry('compute')).toMatchObject({ energy_j: 72_000, carbon_g: 36 })
    expect(entry('queue')).toMatchObject({ cost_usd: 0, energy_j: 0, carbon_g: 0 })
    expect(entry('detection')).not.toHaveProperty('predicted_accelerator_s')
    // Held: 680 less 20 queue, 60 allocation, 60 recovery, 136 smaller. Of it 72 + 12 + 12 + 14 in steps that count.
    expect(ledger.goodput.scheduling).toBeCloseTo(404 / 680, 12)
    expect(ledger.goodput.runtime).toBeCloseTo(110 / 404, 12)
    expect(ledger.goodput.program).toBeCloseTo((0.5 * 8 * 4 * 4) / 110, 12)
    expect(ledger).toMatchObject({ cost_usd: 808, energy_j: 404_000, carbon_g: 202 })
    expect(ledger.gap).toMatchObject({ cause: 'smaller than planned', accelerator_s: 136 })
  })

  test('lost time is predicted by its own causes, for the part of the run that is done', () => {
    const predicted = {
      ...TWO_ATTEMPTS.predicted!,
      losses: { steps: 16, seconds: { start: 40, checkpoint: 8, 'lost work': 80, straggler: 4 } },
    }
    const { causes } = LEDGER.parse(ledgerOf({ ...TWO_ATTEMPTS, predicted }))
    const foreseen = Object.fromEntries(causes.map((entry) => [entry.cause, entry.predicted_accelerator_s]))
    // Four of sixteen steps on four accelerators; every step itself waits one second for the slowest.
    expect(foreseen).toMatchObject({ start: 40, checkpoint: 8, 'lost work': 80, straggler: 4 * 4 + 4, detection: undefined })
  })

  test('a recovery has its timeline', () => {
    expect(ledgerOf(TWO_ATTEMPTS).recoveries).toEqual([
      {
        attempt: 1,
        cause: 'rank-died',
        detail: 'rank 3: signal 9',
        last_step_at: 80,
        fault_at: 84,
        detected_at: 90,
        resubmitted_at: 100,
        allocated_at: 110,
        started_at: 115,
        first_step_at: 140,
        lost_steps: 1,
      },
    ])
  })
})

describe('a run that has not come far', () => {
  const live: RunWithSteps = { run: 'r', state: 'queued', createdAt: 0, until: 10, nodes: 1, processesPerNode: 1, attempts: [] }
  const submitted: AttemptWithSteps = { number: 1, nodes: 1, submittedAt: 2, steps: [] }
  const failed = { endedAt: 8, outcome: { cause: 'hang', detail: '' } } as const

  test.each([
    ['waits here', [], { queue: 10 }],
    ['waits for the cluster', [submitted], { queue: 2, allocation: 8 }],
    ['starts', [{ ...submitted, startedAt: 4 }], { queue: 2, allocation: 2, start: 6 }],
    ['attached before it was seen to run', [{ ...submitted, startedAt: 6, attachedAt: 5 }], { queue: 2, allocation: 3, load: 5 }],
    [
      'died before its first step',
      [{ ...submitted, startedAt: 3, faultAt: 6, ...failed }],
      { queue: 2, allocation: 1, start: 3, detection: 2, recovery: 2 },
    ],
    ['was never started', [{ ...submitted, ...failed }], { queue: 2, allocation: 6, recovery: 2 }],
    [
      'is in a step',
      [{ ...submitted, startedAt: 2, steps: [step(1, 9, { seconds: 5, phases_s: { compute: 5 } })] }],
      { queue: 2, start: 2, compute: 5, other: 1 },
    ],
  ] as const)('%s', (_what, attempts, expected) => {
    expect(measuredCauses({ ...live, attempts })).toEqual(expected)
  })

  test('steps are lost only when they are done again', () => {
    const first = {
      ...submitted,
      startedAt: 2,
      steps: [step(1, 4, { seconds: 1 }), step(2, 5, { seconds: 1 })],
      endedAt: 6,
      outcome: failed.outcome,
    }
    const second = { ...submitted, number: 2, submittedAt: 7 }
    expect(measuredCauses({ ...live, attempts: [first, second] })['lost work']).toBeUndefined()
    expect(measuredCauses({ ...live, attempts: [first, { ...second, restored: 1 }] })['lost work']).toBe(1)
    expect(ledgerOf({ ...live, attempts: [first, { ...second, restored: 1 }] })).toMatchObject({
      steps: 1,
      recoveries: [{ lost_steps: 1 }],
    })
  })
})

describe('whatever the clocks say', () => {
  /** Of a few thousand seconds, none a whole number of microseconds: doubles as they come are mostly tiny. */
  const time = fc.integer({ min: 0, max: 2_000_000 }).map((part) => part / 1003)
  const maybe = fc.option(time, { nil: undefined })
  /** Without what is undefined. */
  const attemptsFrom = (facts: readonly object[]): readonly AttemptWithSteps[] => JSON.parse(JSON.stringify(facts))
  const steps = fc
    .uniqueArray(
      fc.record({
        step: fc.integer({ min: 1, max: 60 }),
        at: time,
        seconds: time.map((long) => long / 40),
        phases_s: fc.dictionary(fc.constantFrom('data', 'compute', 'communication', 'checkpoint', 'bubble', 'mine'), time),
        slowest: fc.record({ compute_s: time }),
      }),
      { selector: (row) => row.step, maxLength: 12 },
    )
    .map((rows) => rows.toSorted((one, other) => one.step - other.step))
  const attempt = fc.record({
    nodes: fc.integer({ min: 1, max: 4 }),
    submittedAt: time,
    startedAt: maybe,
    attachedAt: maybe,
    faultAt: maybe,
    ended: fc.option(fc.tuple(time, fc.constantFrom(...END_REASONS)), { nil: undefined }),
    restored: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
    saved: fc.option(fc.record({ step: fc.integer({ min: 0, max: 60 }), pause_s: time }), { nil: undefined }),
    steps,
  })
  const history = fc
    .record({ state: fc.constantFrom(...RUN_STATES), createdAt: time, lasted: time, attempts: fc.array(attempt, { maxLength: 5 }) })
    .map(({ state, createdAt, lasted, attempts }): RunWithSteps => ({
      run: 'r',
      state,
      createdAt,
      until: createdAt + lasted,
      nodes: 4,
      processesPerNode: 3,
      attempts: attemptsFrom(
        attempts.map(({ ended, ...each }, index) => ({
          ...each,
          number: index + 1,
          ...(ended && { endedAt: ended[0], outcome: { cause: ended[1], detail: '' } }),
        })),
      ),
    }))

  propertyTest.prop([history], { numRuns: 2000 })('no moment is booked twice or left out', (run) => {
    const books = closedBooks(run).books.map((book) => [...book.ticks.values()])
    expect(books.flat().every((span) => Number.isInteger(span) && span >= 0)).toBe(true)
    expect(books.flat().reduce((sum, span) => sum + span, 0)).toBe(ticks(run.until) - ticks(run.createdAt))
    const ledger = LEDGER.parse(ledgerOf(run))
    expect(ledger.causes.map(({ cause }) => cause)).toEqual([...TIME_CAUSES])
    const whole = ledger.causes.reduce((sum, { accelerator_s }) => sum + accelerator_s, 0)
    // A clock read in seconds is rounded to whole microseconds at both ends.
    expect(Math.abs(whole - ledger.wall_s * 12)).toBeLessThan(12 * 1.1e-6)
  })
})

describe('a program that reports no steps', () => {
  const { predicted: _, ...unplanned } = TWO_ATTEMPTS
  const [first, second] = TWO_ATTEMPTS.attempts
  const plainAttempt = (attempt: AttemptWithSteps, ranksAt: number): AttemptWithSteps => {
    const { attachedAt: __, saved: ___, restored: ____, ...rest } = attempt
    return { ...rest, ranksAt, steps: [] }
  }
  const JOB: RunWithSteps =
    first && second ? { ...unplanned, attempts: [plainAttempt(first, 22), plainAttempt(second, 111)] } : TWO_ATTEMPTS

  test('runs while its processes do; what a failed attempt did is lost', () => {
    expect(measuredCauses(JOB)).toEqual({
      queue: 4 * 5,
      allocation: 4 * 15,
      start: 4 * 2 + 2 * 1,
      'lost work': 4 * 62,
      detection: 4 * 6,
      recovery: 4 * 10 + 2 * 10,
      running: 2 * 57,
      'smaller than planned': 2 * 68,
      'idle tail': 4 * 2,
    })
  })

  test('has no goodput in steps, nothing predicted, and no advice about seconds', () => {
    for (const run of [JOB, { ...TWO_ATTEMPTS, attempts: JOB.attempts }]) {
      const ledger = LEDGER.parse(ledgerOf(run))
      expect(Object.keys(ledger.goodput)).toEqual(['scheduling'])
      expect(ledger.causes.filter(({ predicted_accelerator_s }) => predicted_accelerator_s !== undefined)).toEqual([])
      expect(ledger.gap).toMatchObject({ cause: 'lost work' })
    }
    const [, last] = JOB.attempts
    const well = ledgerOf({ ...JOB, attempts: last ? [{ ...last, number: 1 }] : [] })
    expect(well.gap).toMatchObject({ cause: 'queue' })
    expect(ledgerOf({ ...JOB, createdAt: 95, attempts: last ? [{ ...last, number: 1, nodes: 2 }] : [] }).gap).toBeUndefined()
  })

  test('while it runs, and when it joins, time is where it is', () => {
    const running: AttemptWithSteps = { number: 1, nodes: 2, submittedAt: 5, startedAt: 20, ranksAt: 22, steps: [] }
    expect(measuredCauses({ ...JOB, state: 'running', attempts: [running] })).toMatchObject({ running: 4 * 148 })
    expect(measuredCauses({ ...JOB, state: 'running', attempts: [{ ...running, attachedAt: 30 }] })).not.toHaveProperty('running')
  })
})
