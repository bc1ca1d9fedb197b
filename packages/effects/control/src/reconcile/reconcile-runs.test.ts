import type { Executor } from '@ironlaw/executors'
import { allocationsOf, attemptsOf, setDesired, nodesOf, stepsAfter } from '@ironlaw/store'
import { describe, expect, test, vi } from 'vitest'
import { beatOf, type RunBed, runBed, stepOf } from '../../test/run-bed.ts'
import { BATCH, reconcileRuns } from './reconcile-runs.ts'

const BED_TIMEOUT_MS = 60_000
let bed: RunBed

/** A run on its first step. */
async function startRun(id = 'r'): Promise<void> {
  await bed.newRun(id)
  await bed.pass(2)
  await bed.tell(id, { beats: [beatOf('n1', 0, 0), beatOf('n2', 1, 0)], steps: [stepOf(1, bed.ports.now())] })
  await bed.pass(2, [id])
}

/** Its agent falls silent, and the rank on the first node fails of it. */
async function loseSecondNode(run: string, step: number): Promise<void> {
  const [first = '', second = ''] = await bed.placed(run)
  await bed.tell(run, {
    beats: [beatOf(first, 0, 0), beatOf(second, 1, 5)],
    exits: [{ node: first, index: 0, rank: 0, code: 1, signal: null, at: 1, tail: '' }],
    steps: [stepOf(step, bed.ports.now())],
  })
  await bed.pass(1.5)
}

async function nodeState(node: string): Promise<string | undefined> {
  const fleet = await bed.fleet.executor.capacity()
  return fleet.answer === 'capacity' ? fleet.nodes.find(({ name }) => name === node)?.state : undefined
}

/** What the executor shows of each of its allocations. */
const allocationStates = async (run: string): Promise<readonly (readonly [string, string])[]> =>
  [...bed.fleet.jobs()]
    .filter(([key]) => key.startsWith(`${run}.alloc-`))
    .map(([, job]) => [job.state, job.state === 'running' ? job.nodes.join(',') : job.state === 'ended' ? job.how : ''])

describe('the life of a run', () => {
  test('from queued to succeeded', { timeout: BED_TIMEOUT_MS }, async () => {
    bed = await runBed()
    await startRun()
    expect(await bed.state('r')).toBe('running')
    await bed.tell('r', { notes: [{ kind: 'completed', at: 1, detail: { step: 9 } }] })
    await bed.pass(0.5)
    expect(await bed.run('r')).toMatchObject({ state: 'succeeded', verdict: { cause: 'completed', step: 9 } })
    expect(await bed.kinds('r')).toEqual([
      'run-created',
      'attempt-created',
      'allocation-created',
      'allocation-submitted',
      'allocation-held',
      'attempt-started',
      'run-running',
      'agent-completed',
      'run-succeeded',
    ])
  })

  const exitOf = (index: number, over: object = {}) => ({
    node: `n${index + 1}`,
    index,
    rank: index,
    code: null,
    signal: 9,
    at: 1,
    tail: '',
    ...over,
  })

  test(
    'after a rank died the next attempt starts in place, in the same round and without the executor',
    { timeout: BED_TIMEOUT_MS },
    async () => {
      bed = await runBed()
      await startRun()
      await bed.tell('r', { exits: [exitOf(1), exitOf(0, { killed: true })] })
      await bed.pass(0.5)
      expect(await bed.attempts('r')).toMatchObject([
        { number: 1, state: 'ended', cause: 'rank-died' },
        { number: 2, state: 'running' },
      ])
      expect(await allocationStates('r')).toEqual([['running', 'n1,n2']])
    },
  )

  test(
    'recovery does not wait for an executor that takes long to answer, nor do other runs miss it',
    { timeout: BED_TIMEOUT_MS },
    async () => {
      let answers = Promise.resolve()
      bed = await runBed({
        patience_ms: 20,
        wrap: (executor) => ({ ...executor, sightings: (keys) => answers.then(() => executor.sightings(keys)) }),
      })
      await startRun()
      const { promise, resolve: answer } = Promise.withResolvers<void>()
      answers = promise
      await bed.newRun('other')
      const round = bed.pass(0.5)
      await bed.tell('r', { exits: [exitOf(1), exitOf(0, { killed: true })] })
      await vi.waitFor(async () => expect(await bed.attempts('r')).toMatchObject([{ cause: 'rank-died' }, { number: 2, state: 'running' }]))
      expect(await bed.state('other')).toBe('queued')
      answer()
      await round
      expect(await bed.state('other')).toBe('starting')
    },
  )

  test('after a node was lost its place is asked for, the others stay held', { timeout: BED_TIMEOUT_MS }, async () => {
    bed = await runBed()
    await startRun()
    bed.fleet.kill('n2')
    bed.muted.add('n2')
    await bed.tell('r', { exits: [exitOf(0, { code: 1, signal: null }), exitOf(1, { signal: null })] })
    await bed.pass(3)
    expect(await bed.attempts('r')).toMatchObject([
      { number: 1, cause: 'node-lost' },
      { number: 2, state: 'running' },
    ])
    expect(await allocationStates('r')).toEqual([
      ['running', 'n1,n2'],
      ['running', 'n3'],
    ])
    expect((await attemptsOf(bed.database, ['r'])).get('r')?.at(-1)?.placed).toEqual(['n1', 'n3'])
  })

  test('nodes of a run that has ended are given back, even when no agent leaves', { timeout: BED_TIMEOUT_MS }, async () => {
    bed = await runBed()
    await startRun()
    await bed.tell('r', { notes: [{ kind: 'completed', at: 1, detail: { step: 9 } }] })
    await bed.pass(1)
    expect([await bed.state('r'), await allocationStates('r')]).toEqual(['succeeded', [['running', 'n1,n2']]])
    await bed.pass(65)
    expect(await allocationStates('r')).toEqual([['ended', 'cancelled']])
    expect((await allocationsOf(bed.database, ['r'])).get('r')).toMatchObject([{ number: 1, state: 'ended' }])
  })

  test(
    'a lost node is left out of the next attempt; another run that loses it too has it drained',
    { timeout: BED_TIMEOUT_MS },
    async () => {
      bed = await runBed({ nodes: ['n1', 'n2', 'n3'] })
      for (const [run, attempt] of [
        ['r', 1],
        ['s', 1],
      ] as const) {
        await startRun(run)
        expect(await bed.placed(run)).toContain('n2')
        await bed.pass(3.5)
        await loseSecondNode(run, attempt)
        expect(await bed.attempts(run)).toMatchObject([{ cause: 'node-lost' }, { number: 2 }])
        expect(await bed.placed(run)).not.toContain('n2')
        expect(await nodeState('n2')).toBe(run === 'r' ? 'busy' : 'drained')
        await bed.tell(run, { notes: [{ kind: 'completed', at: 1, detail: { step: 9 } }] })
        await bed.pass(1)
      }
    },
  )

  test('a cancelled run is cancelled when the executor confirms', { timeout: BED_TIMEOUT_MS }, async () => {
    bed = await runBed()
    await startRun()
    bed.fleet.cutOff('cable')
    await setDesired(
      bed.database,
      { run_id: 'r', desired: 'cancel' },
      { kind: 'cancel-asked', actor: 'ada', at: bed.ports.now(), body: {} },
    )
    await bed.pass(5, ['r'])
    expect(await bed.state('r')).toBe('cancelling')
    bed.fleet.cutOff(undefined)
    await bed.pass(2)
    expect(await bed.state('r')).toBe('cancelled')
  })

  test('what the cluster refuses ends the run with the field', { timeout: BED_TIMEOUT_MS }, async () => {
    bed = await runBed({
      wrap: (executor) => ({ ...executor, submit: async () => ({ answer: 'refused', field: 'nodes', reason: 'too many' }) }),
    })
    await bed.newRun('r')
    await bed.pass(1)
    expect(await bed.run('r')).toMatchObject({ state: 'failed', verdict: { cause: 'refused', detail: 'nodes: too many' } })
  })
})

describe('a job is believed about itself only', () => {
  const outside = (node: string, index: number) => ({ node, index, rank: index, code: null, signal: null, at: 1, tail: '' })

  test('a report that names nodes of others costs them nothing, and an event says so once', { timeout: BED_TIMEOUT_MS }, async () => {
    bed = await runBed()
    await startRun('evil')
    const slow = Array.from({ length: 50 }, (_, index) => stepOf(index + 2, bed.ports.now()))
    await bed.tell('evil', {
      beats: [beatOf('n6', 0, 0)],
      steps: slow.map((step) => ({ ...step, slowest: { rank: 0, compute_s: 10 }, median_compute_s: 1 })),
    })
    await bed.pass(1)
    for (const _ of [1, 2, 3]) {
      await bed.tell('evil', { exits: [outside('n5', 0), outside('n4', 1)] })
      await bed.pass(2)
    }
    const states = await Promise.all(['n4', 'n5', 'n6'].map(nodeState))
    expect(states).toEqual(['idle', 'idle', 'idle'])
    expect(await nodesOf(bed.database, 'simulated')).toEqual([])
    expect((await bed.kinds('evil')).filter((kind) => kind === 'report-disbelieved')).toHaveLength(1)
  })

  test('its own nodes it has suspected, never drained, however often it says so', { timeout: BED_TIMEOUT_MS }, async () => {
    bed = await runBed({ nodes: ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8'] })
    await startRun('evil')
    for (const step of [2, 3, 4, 5, 6]) {
      await bed.pass(4)
      await loseSecondNode('evil', step)
    }
    const suspected = await nodesOf(bed.database, 'simulated')
    expect(suspected.length).toBeGreaterThan(1)
    expect(suspected.filter(({ state }) => state === 'drained')).toEqual([])
  })
})

test('history 960: a run does not fail for good while its job cannot be cancelled', { timeout: BED_TIMEOUT_MS }, async () => {
  let isAway = true
  bed = await runBed({
    wrap: (executor) => ({
      ...executor,
      submit: async () => ({ answer: 'refused', field: 'nodes', reason: 'too many' }),
      cancel: async (key) => (isAway ? { answer: 'unreachable', reason: 'cable' } : executor.cancel(key)),
    }),
  })
  await bed.newRun('r')
  await bed.pass(3)
  expect(await bed.state('r')).toBe('starting')
  isAway = false
  await bed.pass(2)
  expect(await bed.state('r')).toBe('failed')
})

describe('what a job left behind while the control plane was away', () => {
  test('a completion record ends the run, and reports of its spool are taken', { timeout: BED_TIMEOUT_MS }, async () => {
    const report = {
      node: 'n1',
      index: 0,
      sequence: 99,
      sent_at: 1,
      beats: [],
      exits: [],
      steps: [stepOf(7, 1)],
      checkpoints: [],
      notes: [],
    }
    bed = await runBed({ storage: { completion: async () => ({ step: 7 }), spooled: async () => [report] } })
    await startRun()
    expect(await bed.state('r')).toBe('running')
    await bed.fleet.executor.cancel('r.alloc-1')
    await bed.pass(3)
    expect(await bed.run('r')).toMatchObject({ state: 'succeeded', attempt: 1, verdict: { step: 7 } })
    expect((await stepsAfter(bed.database, 'r', { limit: 10 })).map(({ last_step }) => last_step)).toEqual([1, 7])
  })
})

describe('losing sight', () => {
  test('ten minutes without an executor and without reports restart nothing', { timeout: BED_TIMEOUT_MS }, async () => {
    bed = await runBed()
    await startRun()
    bed.fleet.cutOff('squeue timed out')
    await bed.pass(600)
    expect(await bed.state('r')).toBe('unreachable')
    bed.fleet.cutOff(undefined)
    await bed.pass(2, ['r'])
    expect(await bed.state('r')).toBe('running')
    expect(await bed.attempts('r')).toHaveLength(1)
  })
})

describe('killed between any two effects', () => {
  /** Throws instead of answering, before or after the effect, as a process that dies there. */
  const crashingExecutor = (
    executor: Executor,
    { method, when, times }: { method: 'submit' | 'cancel'; when: 'before' | 'after'; times: number },
  ): Executor => {
    let left = times
    const wrapped = { ...executor }
    const inner = executor[method] as (input: never) => Promise<never>
    wrapped[method] = async (input: never) => {
      if (left > 0 && when === 'before') {
        left -= 1
        throw new Error('killed')
      }
      const answer = await inner(input)
      if (left > 0) {
        left -= 1
        throw new Error('killed')
      }
      return answer
    }
    return wrapped
  }

  for (const when of ['before', 'after'] as const)
    test(`${when} the submission: one attempt, one job`, { timeout: BED_TIMEOUT_MS }, async () => {
      bed = await runBed({ wrap: (executor) => crashingExecutor(executor, { method: 'submit', when, times: 2 }) })
      await bed.newRun('r')
      await bed.pass(5)
      expect(await bed.attempts('r')).toMatchObject([{ number: 1, state: 'running' }])
      expect(await allocationStates('r')).toEqual([['running', 'n1,n2']])
    })

  test('before the cancellation: what the run held is given back later', { timeout: BED_TIMEOUT_MS }, async () => {
    bed = await runBed({ wrap: (executor) => crashingExecutor(executor, { method: 'cancel', when: 'before', times: 1 }) })
    await startRun()
    await setDesired(
      bed.database,
      { run_id: 'r', desired: 'cancel' },
      { kind: 'cancel-asked', actor: 'ada', at: bed.ports.now(), body: {} },
    )
    await bed.pass(4)
    expect(await bed.state('r')).toBe('cancelled')
    expect(await allocationStates('r')).toEqual([['ended', 'cancelled']])
  })
})

test('a restart of the control plane with 1,000 live runs changes no state', { timeout: 3 * BED_TIMEOUT_MS }, async () => {
  bed = await runBed({ nodes: Array.from({ length: 250 }, (_, index) => `n${index + 1}`), announcesOnce: true })
  const ids = Array.from({ length: 1000 }, (_, index) => `run-${index}`)
  for (const id of ids) await bed.newRun(id)
  await bed.pass(3)
  for (const id of ids) {
    const beats = (await bed.placed(id)).map((node, index) => beatOf(node, index, 0))
    await bed.tell(id, { beats, steps: [stepOf(1, bed.ports.now())] })
  }
  await bed.pass(2.5)
  const before = await Promise.all(ids.map((id) => bed.run(id)))
  expect(new Set(before.map(({ state }) => state))).toEqual(new Set(['running']))
  const restarted = { ...bed.ports, holder: 'another process' }
  for (let round = 0; round < 2 * (1000 / BATCH); round += 1) await reconcileRuns(restarted)
  const after = await Promise.all(ids.map((id) => bed.run(id)))
  expect(after).toEqual(before)
})

test(
  'a job that is missing from a listing while its agents report is not written off; when they are silent too, it is',
  async () => {
    let isMissing = false
    const wrap = (executor: Executor): Executor => ({
      ...executor,
      sightings: async (keys) =>
        isMissing ? { answer: 'seen', jobs: new Map(keys.map((key) => [key, { state: 'absent' }])) } : executor.sightings(keys),
    })
    bed = await runBed({ wrap })
    await startRun()
    isMissing = true
    await bed.pass(5, ['r'])
    expect(await bed.kinds('r')).not.toContain('allocation-ended')
    isMissing = false
    await bed.pass(2, ['r'])
    expect([await bed.state('r'), (await bed.attempts('r')).length]).toEqual(['running', 1])
    isMissing = true
    for (const node of await bed.placed('r')) bed.muted.add(node)
    await bed.pass(40)
    expect(await bed.kinds('r')).toContain('allocation-ended')
  },
  BED_TIMEOUT_MS,
)

test(
  'a report from a place that the run does not have leaves nothing behind',
  async () => {
    bed = await runBed()
    await startRun()
    await bed.tell('r', { index: 2, node: 'n9', beats: [beatOf('n9', 2, 0)], notes: [{ kind: 'completed', at: 1, detail: { step: 9 } }] })
    await bed.pass(2, ['r'])
    expect(await bed.state('r')).toBe('running')
    expect(await bed.database.selectFrom('beats').select('node_index').where('node_index', '>', 1).execute()).toEqual([])
  },
  BED_TIMEOUT_MS,
)

test(
  'nodes of a resumed run are not released',
  async () => {
    bed = await runBed()
    await startRun()
    const { database, ports } = bed
    await database.insertInto('releases').values({ run_id: 'r', number: 1, due_at: 0 }).execute()
    await bed.pass(3, ['r'])
    const seen = await ports.executor.sightings(['r.alloc-1'])
    expect(seen.answer === 'seen' && seen.jobs.get('r.alloc-1')?.state).toBe('running')
  },
  BED_TIMEOUT_MS,
)
