import fc from 'fast-check'
import type { Replica, ReplicaState, Sighting } from '@ironlaw/contracts'
import { describe, expect, test } from 'vitest'
import {
  decideDeployment,
  type DeploymentAction,
  type DeploymentObservation,
  type ObservedReplica,
  type DesiredReplicas,
} from './decide-deployment.ts'
import { DEFAULT_DEPLOYMENT_LIMITS as LIMITS } from './limits.ts'

const RUNNING: Sighting = { state: 'running', nodes: ['n1'], unresponsive: [] }

const replicaIn = (
  id: string,
  state: ReplicaState,
  more: Partial<ObservedReplica> & { revision?: number; since?: number } = {},
): ObservedReplica => {
  const { revision = 1, since = 0, ...rest } = more
  return { replica: { id, revision, state, since, submittedAt: since }, job: RUNNING, heardAt: 100, ...rest }
}

const actionsFor = (replicas: readonly ObservedReplica[], more: Partial<DeploymentObservation> = {}): readonly string[] =>
  decideDeployment({ now: 100, wanted: [{ revision: 1, count: 2 }], replicas, failures: new Map(), ...more }, LIMITS).map(actionText)

const actionText = (action: DeploymentAction): string =>
  action.do === 'start' ? `start ${action.revision}` : `${action.do} ${action.replica.id}`

describe('a deployment', () => {
  test('starts what is missing, and serves what is ready', () => {
    expect(actionsFor([])).toEqual(['start 1', 'start 1'])
    expect(actionsFor([replicaIn('a', 'starting', { ready: true }), replicaIn('b', 'starting')])).toEqual(['serve a'])
    expect(actionsFor([replicaIn('a', 'submitting'), replicaIn('b', 'serving')])).toEqual(['submit-again a'])
  })

  test('replaces the dead, once the executor says so', () => {
    const dead: Sighting = { state: 'ended', how: 'node-failed' }
    expect(actionsFor([replicaIn('a', 'serving', { job: dead }), replicaIn('b', 'serving')])).toEqual(['bury a', 'start 1'])
    const hidden: Sighting = { state: 'unreachable', reason: 'slurmctld does not answer' }
    expect(actionsFor([replicaIn('a', 'serving', { job: hidden }), replicaIn('b', 'serving', { job: hidden })])).toEqual([])
  })

  test('one that does not answer is stopped and replaced; one that answers a gateway is not', () => {
    expect(actionsFor([replicaIn('a', 'serving', { heardAt: 80 }), replicaIn('b', 'serving')])).toEqual(['stop a', 'start 1'])
    expect(actionsFor([replicaIn('a', 'serving', { heardAt: 90 }), replicaIn('b', 'serving')])).toEqual([])
  })

  test('waiting in the queue is no failure to start', () => {
    const pending: Sighting = { state: 'pending', reason: 'Resources' }
    const late = { since: 100 - LIMITS.start_s - 1 }
    expect(actionsFor([replicaIn('a', 'starting', { job: pending, ...late }), replicaIn('b', 'serving')])).toEqual([])
    expect(actionsFor([replicaIn('a', 'starting', late), replicaIn('b', 'serving')])).toEqual(['stop a', 'start 1'])
    const placed = replicaIn('a', 'starting', late)
    const fresh = { ...placed, replica: { ...placed.replica, startedAt: 90 } }
    expect(actionsFor([fresh, replicaIn('b', 'serving')])).toEqual([])
  })

  test('waits longer after each start that failed', () => {
    const failures = (...times: number[]) => ({ failures: new Map([[1, times]]) })
    expect(actionsFor([replicaIn('b', 'serving')], failures(99))).toEqual([])
    expect(actionsFor([replicaIn('b', 'serving')], failures(97))).toEqual(['start 1'])
    expect(actionsFor([replicaIn('b', 'serving')], failures(90, 95))).toEqual(['start 1'])
    expect(actionsFor([replicaIn('b', 'serving')], failures(90, 93, 95))).toEqual([])
    // A clock was an hour ahead when the last one failed.
    expect(actionsFor([replicaIn('b', 'serving')], failures(90, 3700))).toEqual(['start 1'])
    expect(actionsFor([replicaIn('b', 'serving')], failures(99, 3700))).toEqual([])
  })

  test('a new revision takes over replica by replica', () => {
    const wanted = [{ revision: 2, count: 2 }]
    const old = [replicaIn('a', 'serving'), replicaIn('b', 'serving')]
    expect(actionsFor(old, { wanted })).toEqual(['start 2', 'start 2'])
    expect(
      actionsFor([...old, replicaIn('c', 'starting', { revision: 2 }), replicaIn('d', 'starting', { revision: 2 })], { wanted }),
    ).toEqual([])
    const half = [...old, replicaIn('c', 'serving', { revision: 2 }), replicaIn('d', 'starting', { revision: 2 })]
    expect(actionsFor(half, { wanted })).toEqual(['drain a'])
  })

  describe('the revision that served before', () => {
    const wanted = [
      { revision: 2, count: 2 },
      { revision: 1, count: 2, kept: { for_s: 50 } },
    ]
    const old = (state: ReplicaState, since = 90) => [replicaIn('a', state, { since }), replicaIn('b', state, { since })]
    const fresh = (...states: readonly ReplicaState[]) =>
      states.map((state, index) => replicaIn(`n${index}`, state, { revision: 2, since: 90 }))

    test('serves until the new one does in full, then is kept without requests', () => {
      expect(actionsFor(old('serving'), { wanted })).toEqual(['start 2', 'start 2'])
      expect(actionsFor([...old('serving'), ...fresh('serving', 'starting')], { wanted })).toEqual([])
      expect(actionsFor([...old('serving'), ...fresh('serving', 'serving')], { wanted })).toEqual(['keep a', 'keep b'])
      expect(actionsFor([...old('warm'), ...fresh('serving', 'serving')], { wanted })).toEqual([])
    })

    test('stays without requests when the new one loses a replica, and starts none of its own', () => {
      expect(actionsFor([...old('warm').slice(1), ...fresh('serving')], { wanted })).toEqual(['start 2'])
      expect(actionsFor([...old('starting'), ...fresh('serving', 'serving')], { wanted })).toEqual(['stop a', 'stop b'])
    })

    test('goes when its time is over, and for replicas that wait for a machine', () => {
      expect(actionsFor([...old('warm', 49), ...fresh('serving', 'serving')], { wanted })).toEqual(['drain a', 'drain b'])
      const waits = replicaIn('w', 'starting', { revision: 2, since: 100 - LIMITS.machine_s - 1, job: { state: 'pending', reason: '' } })
      expect(actionsFor([...old('warm'), ...fresh('serving'), waits], { wanted })).toEqual(['drain a'])
      expect(actionsFor([...old('serving'), ...fresh('serving'), waits], { wanted })).toEqual(['drain a'])
      expect(actionsFor([...old('serving'), waits], { wanted })).toEqual(['start 2'])
      const leaves = replicaIn('c', 'draining', { since: 99, inFlight: 3 })
      expect(actionsFor([...old('warm'), leaves, ...fresh('serving'), waits], { wanted })).toEqual([])
      const three = [
        { revision: 2, count: 3 },
        { ...wanted[1]!, count: 3 },
      ]
      expect(actionsFor([...old('serving'), ...fresh('serving', 'serving'), waits], { wanted: three })).toEqual(['drain a'])
    })

    test('serves again in the round that asks for it, and the other is kept in its place', () => {
      const returned = [
        { revision: 1, count: 2 },
        { revision: 2, count: 2, kept: { for_s: 50 } },
      ]
      expect(actionsFor([...old('warm'), ...fresh('serving', 'serving')], { wanted: returned })).toEqual([
        'resume a',
        'resume b',
        'keep n0',
        'keep n1',
      ])
      expect(actionsFor([...old('warm').slice(1), ...fresh('serving', 'serving')], { wanted: returned })).toEqual(['resume b', 'start 1'])
    })

    test('that does not answer is stopped', () => {
      const [one, other] = old('warm')
      expect(actionsFor([{ ...one!, heardAt: 80 }, other!, ...fresh('serving', 'serving')], { wanted })).toEqual(['stop a'])
    })
  })

  test('a rejected revision goes at once', () => {
    const canary = replicaIn('c', 'serving', { revision: 2 })
    expect(actionsFor([replicaIn('a', 'serving'), replicaIn('b', 'starting'), canary], { rejected: 2 })).toEqual(['drain c'])
  })

  test('draining ends when nothing is in flight, or when its time is over', () => {
    const rest = [replicaIn('a', 'serving'), replicaIn('b', 'serving')]
    expect(actionsFor([...rest, replicaIn('c', 'draining', { inFlight: 3, since: 90 })])).toEqual([])
    expect(actionsFor([...rest, replicaIn('c', 'draining', { inFlight: 0, since: 90 })])).toEqual(['stop c'])
    expect(actionsFor([...rest, replicaIn('c', 'draining', { inFlight: 3, since: 99 - LIMITS.drain_s })])).toEqual(['stop c'])
    expect(actionsFor([...rest, replicaIn('c', 'draining', { inFlight: 3, since: 99 - LIMITS.drain_s, drained_s: 10 })])).toEqual([])
    expect(actionsFor([...rest, replicaIn('c', 'draining', { inFlight: 3, since: 90, drained_s: LIMITS.drain_s + 1 })])).toEqual(['stop c'])
    expect(actionsFor([...rest, replicaIn('c', 'stopping')])).toEqual(['stop c'])
    expect(actionsFor([...rest, replicaIn('c', 'stopping', { job: { state: 'absent' } })])).toEqual(['bury c'])
  })
})

type World = { replicas: Map<string, { replica: Replica; job: Sighting; ready: boolean }>; next: number }

/** Carries actions out as a reconciler would. */
function carryOut({ replicas, next }: World, actions: readonly DeploymentAction[], now: number): World {
  let number = next
  for (const action of actions) {
    if (action.do === 'start') {
      number += 1
      const id = `r${number}`
      replicas.set(id, {
        replica: { id, revision: action.revision, state: 'starting', since: now, submittedAt: now },
        job: RUNNING,
        ready: false,
      })
      continue
    }
    const found = replicas.get(action.replica.id)
    if (!found) continue
    if (action.do === 'bury') replicas.delete(action.replica.id)
    else if (action.do === 'serve')
      replicas.set(action.replica.id, { ...found, replica: { ...found.replica, state: 'serving', since: now } })
    else if (action.do === 'keep' || action.do === 'resume')
      replicas.set(action.replica.id, {
        ...found,
        replica: { ...found.replica, state: action.do === 'keep' ? 'warm' : 'serving', since: now },
      })
    else if (action.do === 'drain')
      replicas.set(action.replica.id, { ...found, replica: { ...found.replica, state: 'draining', since: now } })
    else if (action.do === 'stop')
      replicas.set(action.replica.id, {
        ...found,
        replica: { ...found.replica, state: 'stopping', since: now },
        job: { state: 'ended', how: 'cancelled' },
      })
  }
  return { replicas, next: number }
}

const observedIn = ({ replicas }: World, now: number): ObservedReplica[] =>
  [...replicas.values()].map((each) => ({ ...each, heardAt: now, inFlight: 0 }))

const servingIn = ({ replicas }: World): number =>
  [...replicas.values()].filter(({ replica, job }) => replica.state === 'serving' && job.state === 'running').length

test('through deaths and changes of what is wanted, nothing that serves is given up before its successor serves, and it settles', () => {
  const happening = fc.oneof(
    fc.record({ kind: fc.constant('die' as const), pick: fc.nat(20) }),
    fc.record({ kind: fc.constant('ready' as const), pick: fc.nat(20) }),
    fc.record({
      kind: fc.constant('want' as const),
      revision: fc.integer({ min: 1, max: 4 }),
      count: fc.integer({ min: 1, max: 4 }),
      keeps: fc.boolean(),
    }),
  )
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 40 }), (happenings) => {
      let world: World = { replicas: new Map(), next: 0 }
      let wanted: readonly DesiredReplicas[] = [{ revision: 1, count: 2 }]
      let now = 0
      const round = (): void => {
        now += 1
        const before = servingIn(world)
        const actions = decideDeployment({ now, wanted, replicas: observedIn(world, now), failures: new Map() }, LIMITS)
        world = carryOut(world, actions, now)
        expect(servingIn(world)).toBeGreaterThanOrEqual(Math.min(before, wanted[0]!.count))
      }
      for (const happened of happenings) {
        const all = [...world.replicas.values()]
        const found = happened.kind === 'want' ? undefined : all[happened.pick % Math.max(1, all.length)]
        if (happened.kind === 'want') {
          const { revision, count, keeps } = happened
          const before = wanted[0]?.revision ?? revision
          const kept = keeps && before !== revision ? [{ revision: before, count, kept: { for_s: 5 } }] : []
          wanted = [{ revision, count }, ...kept]
        }
        if (found && happened.kind !== 'want')
          world.replicas.set(
            found.replica.id,
            happened.kind === 'die' ? { ...found, job: { state: 'ended', how: 'failed' } } : { ...found, ready: true },
          )
        round()
      }
      for (let rounds = 0; rounds < 20; rounds += 1) {
        for (const [id, each] of world.replicas) world.replicas.set(id, { ...each, ready: true })
        round()
      }
      const left = [...world.replicas.values()].map(({ replica }) => `${replica.state} ${replica.revision}`)
      expect(left).toEqual(Array.from({ length: wanted[0]!.count }, () => `serving ${wanted[0]!.revision}`))
    }),
    { numRuns: 500 },
  )
})
