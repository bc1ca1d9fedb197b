// Runs without steps: jobs, whose processes are all that is known of them, and training programs that report nothing.

import type { Allocation } from '@ironlaw/contracts'
import { describe, expect, test } from 'vitest'
import { attempt, beat, actionFor, exit, NOW, RUNNING, withoutSteps } from './observation.fixture.ts'
import type { ObservedNode, Observation } from './observation.ts'

/** Before any program has joined: phases are unknown. */
const plain = (index: number, age_s = 0.5): ObservedNode => ({
  ...beat(index, age_s),
  ranks: [{ rank: index, step: 0, phase: 'start', phaseAge_s: 0, alive: true, attached: false }],
})
const PLAIN = [0, 1, 2, 3].map((index) => plain(index))
const JOB: Partial<Observation> = { isJob: true, state: 'starting', attempts: [withoutSteps], nodes: PLAIN }
const well = (index: number) => exit(index, { code: 0, signal: null })

describe('a job', () => {
  test('runs as soon as its processes do', () => expect(actionFor(JOB)).toEqual({ do: 'watch', state: 'running', why: '' }))
  test('has no time limit for a first step, and none between steps', () => {
    const nodes = [0, 1, 2, 3].map((index) => beat(index, 0.5, 'other'))
    for (const current of [
      { ...withoutSteps, startedAt: NOW - 100_000 },
      { ...attempt, lastStepAt: NOW - 100_000 },
    ])
      expect(actionFor({ ...JOB, nodes, attempts: [current] })).toMatchObject({ do: 'watch', state: 'running' })
  })
  test('is not judged by its loss or by the pace of a rank', () => {
    const verdicts = [
      { of: 'loss', step: 40, what: 'loss is not a number' },
      { of: 'straggler', rank: 2, factor: 1.6 },
    ] as const
    expect(actionFor({ ...JOB, verdicts })).toMatchObject({ do: 'watch' })
  })
  test('succeeds when every process did, with and without steps, and not before', () => {
    const exits = [0, 1, 2, 3].map(well)
    for (const attempts of [[withoutSteps], [attempt]])
      expect(actionFor({ ...JOB, attempts, exits })).toMatchObject({ do: 'end', state: 'succeeded' })
    expect(actionFor({ ...JOB, exits: exits.slice(1) })).toMatchObject({ do: 'watch', state: 'running' })
  })
  test('status 75 is a failure of a program that did not join: it was not preempted', () => {
    const exits = [exit(0, { code: 75, signal: null, words: 'try later' }), ...[1, 2, 3].map((index) => exit(index, { killed: true }))]
    expect(actionFor({ ...JOB, exits })).toMatchObject({
      diagnosis: { cause: 'rank-died', detail: 'rank 0 on n1 exited with 75: try later' },
    })
  })
  test('a silent node needs a second sign, or a minute of silence', () => {
    const actionInSilence = (age_s: number) =>
      actionFor({ ...JOB, state: 'running', nodes: [plain(0), plain(1, age_s), plain(2), plain(3)] })
    expect(actionInSilence(45)).toMatchObject({ do: 'watch', state: 'running' })
    expect(actionInSilence(61)).toMatchObject({ do: 'abandon', diagnosis: { cause: 'node-lost', suspects: ['n2'] } })
  })
  test('fails at its time limit, and is not started again', () => {
    const over: Allocation = { number: 1, state: 'ended', nodes: 4, excluded: [], submittedAt: NOW - 120, endedAt: NOW, how: 'timeout' }
    const job = { state: 'ended', how: 'timeout' } as const
    const shape = { nodes: 4, processesPerNode: 1, smaller: [], timeLimit_s: 120 }
    const ended = { ...JOB, shape, job, allocations: [], endedAllocations: [over] }
    expect(actionFor(ended)).toEqual({
      do: 'end',
      state: 'failed',
      outcome: { cause: 'time-limit', detail: 'the time limit of 2 min was reached' },
    })
    // A run that saves goes on in the next allocation.
    expect(actionFor({ ...ended, isJob: false })).not.toMatchObject({ do: 'end' })
  })
  test('is started again as often as it says', () => {
    const failedAttempt = (number: number) =>
      ({
        ...withoutSteps,
        number,
        state: 'ended',
        endedAt: NOW - 900,
        outcome: { cause: 'rank-died', detail: 'rank 0 exited with 1' },
      }) as const
    const shape = { nodes: 4, processesPerNode: 1, smaller: [] }
    const gone = { ...JOB, allocations: [], job: { state: 'absent' } } as const
    const once = { ...gone, attempts: [failedAttempt(1)] }
    expect(actionFor({ ...once, shape })).toMatchObject({ do: 'begin', number: 2 })
    expect(actionFor({ ...once, shape: { ...shape, retries: 0 } })).toMatchObject({
      do: 'end',
      state: 'failed',
      outcome: { cause: 'no-progress', detail: 'rank 0 exited with 1' },
    })
  })
})

describe('a program that is not there', () => {
  const words = "can't open file '/srv/nope.py': no such file on this node"
  const missing = (index: number) => exit(index, { code: 127, signal: null, started: false, words })
  test('fails the run at once, in the words of the node', () => {
    const exits = [0, 1, 2, 3].map(missing)
    const found = actionFor({ attempts: [withoutSteps], exits, nodes: PLAIN })
    expect(found).toMatchObject({ do: 'abandon', diagnosis: { cause: 'cannot-start', detail: words, suspects: [] } })
    const over = { ...withoutSteps, state: 'ended', endedAt: NOW, outcome: { cause: 'cannot-start', detail: words } } as const
    expect(actionFor({ attempts: [over], allocations: [], job: { state: 'absent' } })).toMatchObject({
      do: 'end',
      state: 'failed',
      outcome: { cause: 'cannot-start' },
    })
  })
  test('fails it as well where peers could not reach the first node any more', () => {
    const vanished = exit(0, { code: null, signal: null, witness: 2 })
    const exits = [...[1, 2, 3].map(missing), vanished]
    expect(actionFor({ attempts: [withoutSteps], exits, nodes: PLAIN })).toMatchObject({
      diagnosis: { cause: 'cannot-start', detail: words },
    })
  })
  test('fails it as soon as two nodes say so', () =>
    expect(actionFor({ attempts: [withoutSteps], exits: [missing(0), missing(1)], nodes: PLAIN })).toMatchObject({
      diagnosis: { cause: 'cannot-start' },
    }))
  test('on one node only is that attempt’s failure, and may go better elsewhere', () => {
    const exits = [missing(0), ...[1, 2, 3].map((index) => exit(index, { killed: true }))]
    expect(actionFor({ attempts: [withoutSteps], exits, nodes: PLAIN })).toMatchObject({ diagnosis: { cause: 'rank-died' } })
  })
  test('a peer that could not reach the first node any more does not make it a lost one', () => {
    const vanished = exit(0, { code: null, signal: null, witness: 2 })
    const exits = [...[0, 1, 2, 3].map((index) => exit(index, { code: 2, signal: null, words: 'no such option' })), vanished]
    expect(actionFor({ attempts: [withoutSteps], exits, nodes: PLAIN })).toMatchObject({
      diagnosis: { cause: 'rank-died', detail: 'rank 0 on n1 exited with 2: no such option', suspects: [] },
    })
  })
})

describe('a program that says that no attempt can succeed', () => {
  const words = 'IL_VIOLATED: part-4.jsonl: record 1: has no text (rule text)'
  const final = exit(1, { code: 78, signal: null, words })
  const killed = [0, 2, 3].map((index) => exit(index, { killed: true, at: NOW - 2 }))
  const reason = { cause: 'cannot-succeed', detail: `rank 1 on n2: ${words}` } as const
  const diagnosed = (over: Partial<Observation>) => actionFor({ ...JOB, ...over })
  test('fails the run at once, in its own words', () => {
    expect(diagnosed({ exits: [...killed, final] })).toMatchObject({ do: 'abandon', diagnosis: { ...reason, suspects: [] } })
    const over = { ...withoutSteps, state: 'ended', endedAt: NOW, outcome: reason } as const
    expect(actionFor({ attempts: [over], allocations: [], job: { state: 'absent' } })).toMatchObject({
      do: 'end',
      state: 'failed',
      outcome: reason,
    })
  })
  test('is believed also where a node fell silent meanwhile', () => {
    const vanished = exit(3, { code: null, signal: null, witness: 1 })
    expect(diagnosed({ exits: [...killed.slice(0, 2), final, vanished] })).toMatchObject({ diagnosis: reason })
  })
  test('needs a second source like any other end', () =>
    expect(diagnosed({ exits: [final] })).toMatchObject({ do: 'watch', state: 'running' }))
})

describe('a training run whose program reports no steps', () => {
  const actionAfterStart = (age_s: number, over: Partial<Observation> = {}) =>
    actionFor({ state: 'starting', attempts: [{ ...withoutSteps, startedAt: NOW - age_s }], nodes: PLAIN, job: RUNNING, ...over })
  test('is given time to join', () =>
    expect(actionAfterStart(30)).toEqual({ do: 'watch', state: 'starting', why: 'its processes run, the program has not joined yet' }))
  test('then counts as running, and says what is known', () =>
    expect(actionAfterStart(61)).toEqual({
      do: 'watch',
      state: 'running',
      why: 'the program reports no steps: only its processes are watched',
    }))
  test('is never timed out', () => expect(actionAfterStart(100_000)).toMatchObject({ do: 'watch', state: 'running' }))
  test('stays running when it joins late', () => {
    const nodes = PLAIN.map((node) => ({ ...node, ranks: node.ranks.map((rank) => ({ ...rank, attached: true })) }))
    expect(actionAfterStart(70, { nodes, state: 'running' })).toMatchObject({ state: 'running', why: 'ranks have attached, no step yet' })
    expect(actionAfterStart(20, { nodes })).toMatchObject({ state: 'starting', why: 'ranks have attached, no step yet' })
  })
})
