import type { Attempt, Sighting } from '@ironlaw/contracts'
import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { DEFAULT_LIMITS } from './limits.ts'
import { allBeat, attempt, beat, BLIND, CLUSTER, actionFor, exit, NOW, RUNNING, withoutSteps } from './observation.fixture.ts'
import type { Observation } from './observation.ts'

describe('a healthy run is left alone', () => {
  for (const [what, over] of [
    ['all well', {}],
    ['executor unreachable, ranks report', { job: BLIND }],
    ['one rank exited, nothing else says so', { exits: [exit(1)] }],
    ['one node silent, nothing else says so', { nodes: [beat(0), beat(1, 60), beat(2), beat(3)] }],
    ['executor flags a node whose agent speaks', { job: { ...RUNNING, unresponsive: ['n2'] } }],
    ['executor says failed, ranks still report', { job: { state: 'ended', how: 'node-failed' } }],
    [
      'a long checkpoint',
      { attempts: [{ ...attempt, lastStepAt: NOW - 300 }], nodes: [beat(0, 0.5, 'checkpoint'), beat(1), beat(2), beat(3)] },
    ],
  ] as const satisfies readonly (readonly [string, Partial<Observation>])[])
    test(what, () => expect(actionFor(over)).toMatchObject({ do: 'watch' }))
})

describe('losing sight is not failing', () => {
  const dark = { job: BLIND, nodes: [beat(0, 600), beat(1, 600), beat(2, 600), beat(3, 600)] }
  test('nothing seen for ten minutes is a state of its own', () =>
    expect(actionFor(dark)).toMatchObject({ do: 'watch', state: 'unreachable' }))
  test('silence of all while the executor says running is no death', () =>
    expect(actionFor({ ...dark, job: RUNNING })).toMatchObject({ do: 'watch', state: 'unreachable' }))
  property.prop([fc.integer({ min: 0, max: 100_000 }), fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 4, maxLength: 4 })])(
    'whatever the age of the beats, an unreachable executor and no exit never restart',
    (stalled, ages) => {
      const oldest = Math.min(...ages)
      const nodes = ages.map((age, index) => beat(index, age))
      const action = actionFor({ job: BLIND, nodes, attempts: [{ ...attempt, lastStepAt: NOW - stalled }] })
      // One source is silence of some while others speak; the other a standstill of the steps. Blindness alone is none.
      if (oldest > DEFAULT_LIMITS.silence_s || stalled <= DEFAULT_LIMITS.hangFloor_s) expect(action.do).toBe('watch')
    },
  )
})

describe('two sources of death', () => {
  for (const [what, over, cause, suspects] of [
    ['exit reported, job ending', { exits: [exit(1)], job: { state: 'ending' } }, 'rank-died', []],
    ['exits on two nodes', { exits: [exit(1), exit(2, { code: 1, signal: null, at: NOW })] }, 'rank-died', []],
    [
      'node silent, peers failed',
      { exits: [exit(0, { code: 1, signal: null })], nodes: [beat(0), beat(1, 5), beat(2), beat(3)] },
      'node-lost',
      ['n2'],
    ],
    [
      'a rank died and the agents killed the others',
      { exits: [exit(1), ...[0, 2, 3].map((node) => exit(node, { killed: true }))] },
      'rank-died',
      [],
    ],
    [
      'a node vanished, peers failed, the job ends and all fall silent',
      {
        exits: [exit(0, { code: 1, signal: null }), exit(1, { code: null, signal: null })],
        job: { state: 'ended', how: 'failed' },
        nodes: [beat(0, 5), beat(1, 5), beat(2, 5), beat(3, 5)],
      },
      'node-lost',
      ['n2'],
    ],
    [
      'a rank died, the job ends and all fall silent',
      { exits: [exit(1)], job: { state: 'ended', how: 'failed' }, nodes: [beat(0, 5), beat(1, 5), beat(2, 5), beat(3, 5)] },
      'rank-died',
      [],
    ],
    [
      'node silent, executor agrees',
      { nodes: [beat(0), beat(1, 5), beat(2), beat(3)], job: { ...RUNNING, unresponsive: ['n2'] } },
      'node-lost',
      ['n2'],
    ],
    [
      'node silent, steps stand still',
      { nodes: [beat(0), beat(1, 40), beat(2), beat(3)], attempts: [{ ...attempt, lastStepAt: NOW - 40 }] },
      'node-lost',
      ['n2'],
    ],
    [
      'the only node silent, executor agrees',
      { nodes: [beat(0, 40)], job: { ...RUNNING, nodes: ['n1'], unresponsive: ['n1'] } },
      'node-lost',
      ['n1'],
    ],
    ['job failed, all silent', { job: { state: 'ended', how: 'failed' }, nodes: [beat(0, 5), beat(1, 5)] }, 'job-ended', []],
    ['job gone, all silent', { job: { state: 'absent' }, nodes: [beat(0, 5)] }, 'job-vanished', []],
    [
      'preempted',
      { exits: [exit(0, { code: 75, signal: null })], job: { state: 'ended', how: 'failed' }, nodes: [beat(0, 5)] },
      'preempted',
      [],
    ],
    [
      'orphans outlive the job',
      { job: { state: 'ended', how: 'node-failed' }, state: 'recovering', stateSince: NOW - 16 },
      'job-ended',
      [],
    ],
  ] as const satisfies readonly (readonly [string, Partial<Observation>, string, readonly string[]])[])
    test(what, () => expect(actionFor(over)).toMatchObject({ do: 'abandon', diagnosis: { cause, suspects } }))

  test('the rank that failed is named, not one that an agent with a clock behind ended because of it', () => {
    const exits = [exit(0, { code: 1, signal: null, at: NOW }), exit(1, { killed: true, at: NOW - 0.4 })]
    expect(actionFor({ exits })).toMatchObject({ diagnosis: { cause: 'rank-died', detail: 'rank 0 on n1 exited with 1' } })
  })
})

describe('hung or sick', () => {
  const stalled = (since: number): Partial<Observation> => ({ attempts: [{ ...attempt, lastStepAt: NOW - since }] })
  test('no step for ten predicted steps', () =>
    expect(actionFor({ ...stalled(61), predictedStep_s: 6 })).toMatchObject({ do: 'abandon', diagnosis: { cause: 'hang' } }))
  test('ranks that move through their phases do not hang', () => {
    const nodes = allBeat.map((node) => ({ ...node, ranks: node.ranks.map((rank) => ({ ...rank, phaseAge_s: 0.2 })) }))
    expect(actionFor({ ...stalled(600), nodes })).toMatchObject({ do: 'watch' })
  })
  test('ranks further than the steps we know of: our reports are late', () => {
    const nodes = allBeat.map((node) => ({ ...node, ranks: node.ranks.map((rank) => ({ ...rank, step: 51 })) }))
    expect(actionFor({ ...stalled(600), nodes })).toMatchObject({ do: 'watch' })
  })
  test('a slow step is no hang', () => expect(actionFor({ ...stalled(59), predictedStep_s: 6 })).toMatchObject({ do: 'watch' }))
  test('bad loss goes back before it, once', () => {
    const verdicts = [{ of: 'loss', step: 40, what: 'loss is not a number' }] as const
    expect(actionFor({ verdicts })).toMatchObject({ do: 'abandon', diagnosis: { cause: 'bad-loss', resumeBefore: 40 } })
    const before: Attempt = { ...attempt, state: 'ended', outcome: { cause: 'bad-loss', detail: '', step: 40 } }
    const again = { ...before, number: 2 }
    const elsewhere = { ...before, outcome: { cause: 'bad-loss', detail: '', step: 30 } } as const
    const GONE: Sighting = { state: 'ended', how: 'cancelled' }
    expect(actionFor({ attempts: [before, again], job: GONE })).toMatchObject({
      do: 'end',
      state: 'failed',
      outcome: { cause: 'bad-loss' },
    })
    expect(actionFor({ attempts: [elsewhere, again], job: GONE })).toMatchObject({ do: 'begin', resumeBefore: 40 })
  })
  test('no run fails while its last job may still finish', () => {
    const fruitless = [1, 2, 3].map((number) => ({ ...withoutSteps, number, state: 'ended' }) as const)
    for (const job of [RUNNING, BLIND, { state: 'ending' } as const])
      expect(actionFor({ attempts: fruitless, job })).toMatchObject({ do: 'cancel-jobs', state: 'recovering' })
    for (const job of [{ state: 'absent' }, { state: 'ended', how: 'completed' }] as const)
      expect(actionFor({ attempts: fruitless, job })).toMatchObject({ do: 'end', state: 'failed', outcome: { cause: 'no-progress' } })
  })
  test('a straggler is replaced only when there is a spare', () => {
    const verdicts = [{ of: 'straggler', rank: 2, factor: 1.6 }] as const
    expect(actionFor({ verdicts })).toMatchObject({ do: 'abandon', diagnosis: { cause: 'straggler', suspects: ['n3'] } })
    expect(actionFor({ verdicts, capacity: [] })).toMatchObject({ do: 'watch' })
  })
})

describe('ends', () => {
  test('a completion record wins over everything', () =>
    expect(actionFor({ completed: { step: 200 }, desired: 'cancel', job: BLIND })).toMatchObject({ do: 'end', state: 'succeeded' }))
  test('a program without the SDK succeeds by its exit', () =>
    expect(actionFor({ attempts: [withoutSteps], job: { state: 'ended', how: 'completed' } })).toMatchObject({
      do: 'end',
      state: 'succeeded',
    }))
  test('a program without the SDK that ended well is not run again when the executor has forgotten its job', () => {
    const well = [0, 1, 2, 3].map((node) => exit(node, { code: 0, signal: null }))
    const forgotten = { job: { state: 'absent' }, attempts: [withoutSteps], nodes: [] } as const
    expect(actionFor({ ...forgotten, exits: well })).toMatchObject({ do: 'end', state: 'succeeded' })
    expect(actionFor({ ...forgotten, exits: well.slice(1) })).not.toMatchObject({ do: 'end' })
    expect(actionFor({ ...forgotten, exits: [...well.slice(1), exit(0, { code: 1, signal: null })] })).not.toMatchObject({ do: 'end' })
  })
  test('a job that is over waits for storage that does not answer, unless its completion is known', () => {
    const unread = { job: { state: 'absent' }, storageAway: 'EIO' } as const
    expect(actionFor(unread)).toEqual({ do: 'watch', state: 'recovering', why: 'waiting for storage: EIO' })
    expect(actionFor({ ...unread, completed: { step: 60 } })).toMatchObject({ do: 'end', state: 'succeeded' })
  })
  test('with the SDK an exit without a record is not success', () =>
    expect(actionFor({ job: { state: 'ended', how: 'completed' } })).not.toMatchObject({ do: 'end' }))
  test('cancelled only when the executor confirms', () => {
    expect(actionFor({ desired: 'cancel' })).toMatchObject({ do: 'cancel-jobs', state: 'cancelling' })
    expect(actionFor({ desired: 'cancel', job: BLIND })).toMatchObject({ do: 'cancel-jobs', state: 'cancelling' })
    expect(actionFor({ desired: 'cancel', job: { state: 'ended', how: 'cancelled' } })).toMatchObject({
      do: 'end',
      state: 'cancelled',
    })
  })
})

describe('the next attempt', () => {
  const endedAttempt = (lastStep: number, outcome: Attempt['outcome'], number = 1): Attempt => ({
    ...attempt,
    number,
    state: 'ended',
    lastStep,
    endedAt: NOW - 1,
    ...(outcome && { outcome }),
  })
  const LOST = { cause: 'node-lost', detail: 'n2 fell silent', nodes: ['n2'] } as const
  const lost = endedAttempt(50, LOST)
  test('avoids the node that was lost', () =>
    expect(actionFor({ attempts: [lost] })).toMatchObject({ do: 'begin', number: 2, nodes: 4, excluded: ['n2'] }))
  test('shrinks within the plan when nodes are missing', () =>
    expect(actionFor({ attempts: [lost], capacity: CLUSTER.slice(0, 4) })).toMatchObject({ do: 'begin', nodes: 2, excluded: ['n2'] }))
  test('that the executor confirms a lost node is said by its list of nodes, not by the job that lacks what an agent named', () => {
    const silent = { nodes: [beat(0), beat(1, 5), beat(2), beat(3)], job: { ...RUNNING, unresponsive: ['n2'] } }
    expect(actionFor(silent)).toMatchObject({ do: 'abandon', diagnosis: { suspects: ['n2'], confirmed: [] } })
    const down = CLUSTER.map((node) => (node.name === 'n2' ? { ...node, state: 'down' as const } : node))
    expect(actionFor({ ...silent, capacity: down })).toMatchObject({ diagnosis: { confirmed: ['n2'] } })
  })
  test('an end that a wrong clock wrote delays nothing', () => {
    const failedAttempt = (endedAt: number): Attempt => ({ ...endedAttempt(50, { cause: 'rank-died', detail: '' }, 2), endedAt })
    const earlier = endedAttempt(50, { cause: 'rank-died', detail: '' })
    expect(actionFor({ attempts: [earlier, failedAttempt(NOW - 1)] })).toMatchObject({ do: 'watch', state: 'recovering' })
    expect(actionFor({ attempts: [earlier, failedAttempt(NOW + 3600)] })).toMatchObject({ do: 'begin' })
  })
  test('takes an old suspect before the newest', () => {
    const failedOn = (number: number, node: string): Attempt => ({
      ...lost,
      number,
      lastStep: 50 + number,
      outcome: { cause: 'node-lost', detail: '', nodes: [node] },
    })
    const attempts = [failedOn(1, 'n2'), failedOn(2, 'n6'), failedOn(3, 'n5')]
    const shape = { nodes: 4, processesPerNode: 1, smaller: [] }
    expect(actionFor({ attempts, shape })).toMatchObject({ do: 'begin', nodes: 4, excluded: ['n6', 'n5'] })
    expect(actionFor({ attempts, shape, capacity: CLUSTER.slice(1) })).toMatchObject({ do: 'begin', nodes: 4, excluded: ['n5'] })
  })
  test('takes a suspect rather than wait for ever', () =>
    expect(
      actionFor({ attempts: [lost], capacity: CLUSTER.slice(0, 4), shape: { nodes: 4, processesPerNode: 1, smaller: [] } }),
    ).toMatchObject({ do: 'begin', nodes: 4, excluded: [] }))
  test('a rollback holds until an attempt got past it', () => {
    const back = endedAttempt(50, { cause: 'bad-loss', detail: '', step: 40 })
    const failed = { ...endedAttempt(38, { cause: 'rank-died', detail: '' }, 2), resumeBefore: 40 }
    expect(actionFor({ attempts: [back] })).toMatchObject({ do: 'begin', resumeBefore: 40 })
    expect(actionFor({ attempts: [back, failed], now: NOW + 60 })).toMatchObject({ do: 'begin', resumeBefore: 40 })
    expect(actionFor({ attempts: [back, { ...failed, lastStep: 60 }] })).not.toHaveProperty('resumeBefore')
  })
  test('waits with a sentence when the cluster is too small', () => {
    const capacity = [...CLUSTER.slice(0, 1), { name: 'n9', state: 'down' as const, slots: 8, free: 0, reason: 'Not responding' }]
    expect(actionFor({ attempts: [], capacity })).toEqual({
      do: 'watch',
      state: 'queued',
      why: 'needs 4 nodes with 1 slot each, 1 in service: n9 is down (Not responding)',
    })
  })
  test('cores of each process count as slots', () =>
    expect(
      actionFor({
        attempts: [],
        allocations: [],
        job: { state: 'absent' },
        shape: { nodes: 4, processesPerNode: 2, cpusPerProcess: 8, smaller: [] },
      }),
    ).toMatchObject({ do: 'watch', why: 'needs 4 nodes with 16 slots each, 0 in service' }))
  test('gives up after three attempts that got no further', () => {
    const died = { cause: 'rank-died', detail: 'rank 0 exited with 1' } as const
    const history = [endedAttempt(50, died), endedAttempt(50, died, 2), endedAttempt(49, died, 3), endedAttempt(50, died, 4)]
    expect(actionFor({ attempts: history.slice(0, 2) })).toMatchObject({ do: 'watch', state: 'recovering' })
    expect(actionFor({ attempts: history, job: { state: 'absent' } })).toMatchObject({
      do: 'end',
      state: 'failed',
      outcome: { cause: 'no-progress' },
    })
  })
  test('what many runs share is forgiven while it is fresh, and what was forgiven is not counted', () => {
    const failedAt = (number: number, endedAt: number): Attempt => ({
      ...attempt,
      number,
      state: 'ended',
      endedAt,
      outcome: { cause: 'job-ended', detail: 'the job failed' },
    })
    const attempts = [1, 2, 3, 4].map((number) => failedAt(number, NOW - 100 + number))
    const over = { attempts, job: { state: 'absent' }, state: 'recovering', nodes: [] } as const
    const outage = { since: NOW - 100, why: 'many' }
    expect(actionFor(over)).toMatchObject({ do: 'end', state: 'failed' })
    expect(actionFor({ ...over, outage })).toEqual({ do: 'watch', state: 'recovering', why: 'many', forgive: 4 })
    expect(actionFor({ ...over, outage, forgiven: 4 })).toMatchObject({ do: 'begin', number: 5 })
    const long = DEFAULT_LIMITS.outageFor_s + 1
    expect(actionFor({ ...over, attempts: [failedAt(1, 1), failedAt(2, NOW - long), ...attempts.slice(2)], outage })).toMatchObject({
      do: 'end',
    })
  })
  test('lost nodes are bad luck for longer than failures of the program, but not for ever', () => {
    const died = { cause: 'rank-died', detail: 'rank 0 exited with 1' } as const
    const losses = (count: number) => Array.from({ length: count }, (_, index) => endedAttempt(50, LOST, index + 2))
    const actionAfter = (attempts: readonly Attempt[]) => actionFor({ attempts, job: { state: 'absent' }, now: NOW + 1000 })
    expect(actionAfter([endedAttempt(50, LOST), ...losses(9)])).toMatchObject({ do: 'begin', number: 11 })
    expect(actionAfter([endedAttempt(50, LOST), ...losses(10)])).toMatchObject({ do: 'end', outcome: { cause: 'no-progress' } })
    expect(
      actionAfter([endedAttempt(50, LOST), endedAttempt(50, died, 2), ...losses(3).map((each) => ({ ...each, number: each.number + 1 }))]),
    ).toMatchObject({
      do: 'begin',
    })
    expect(
      actionAfter([endedAttempt(50, LOST), ...losses(2), endedAttempt(50, died, 4), endedAttempt(50, died, 5), endedAttempt(50, died, 6)]),
    ).toMatchObject({ do: 'end' })
  })
})
