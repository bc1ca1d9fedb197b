import type { Attempt, Sighting } from '@ironlaw/contracts'
import { describe, expect, test } from 'vitest'
import { desertedNodes, unneededAllocations, sightingOfMembers } from './gather-nodes.ts'
import { DEFAULT_LIMITS } from './limits.ts'
import {
  agent,
  allocation,
  attempt,
  beat,
  BLIND,
  actionFor,
  memberOf,
  MEMBERS,
  NOW,
  RUNNING,
  observationWith,
  withoutSteps,
} from './observation.fixture.ts'
import type { ObservedAllocation, Observation } from './observation.ts'

describe('nodes for an attempt', () => {
  const { members: _, startedAt: __, ...unplaced } = withoutSteps
  const waiting: Attempt = { ...unplaced, state: 'submitted' }
  const spare = agent(4)
  const wide: Sighting = { state: 'running', nodes: ['n1', 'n2', 'n3', 'n4', 'n5'], unresponsive: [] }
  const all = [0, 1, 2, 3].map((index) => agent(index))
  const gatherResult = (over: Partial<Observation>) => actionFor({ attempts: [waiting], nodes: [], ...over })

  test('the first are asked for together, with the spares of the plan', () =>
    expect(gatherResult({ allocations: [], agents: [], shape: { nodes: 4, processesPerNode: 1, smaller: [], spares: 1 } })).toEqual({
      do: 'allocate',
      number: 1,
      nodes: 5,
      excluded: [],
    }))

  test('a job in the queue says why, its place and when', () => {
    const job = { state: 'pending', reason: 'Resources', position: 3, estimatedStartAt: 86_400 * 20_000 + 3 * 3600 + 5 * 60 } as const
    expect(gatherResult({ job, agents: [] })).toEqual({
      do: 'watch',
      state: 'starting',
      why: 'Resources, number 3 in the queue, expected to start at 03:05 UTC',
    })
  })

  test('an allocation recorded but not submitted is submitted again', () =>
    expect(gatherResult({ allocations: [allocation({ state: 'absent' }, { state: 'submitting' })], agents: [] })).toMatchObject({
      do: 'submit-again',
    }))

  test('an attempt starts when every agent has announced itself', () => {
    expect(gatherResult({ agents: all.slice(0, 3), allocations: [allocation(RUNNING, { heldAt: NOW - 5 })] })).toMatchObject({
      do: 'watch',
      why: 'agents on 3 of 4 nodes have reported in',
    })
    expect(gatherResult({ agents: all })).toMatchObject({ do: 'place', members: MEMBERS })
  })

  test('nodes that stand idle for long because others are missing are given back, and all are asked for together', () => {
    const pending: Sighting = { state: 'pending', reason: 'Resources' }
    const rest = allocation(pending, { number: 2, nodes: 1, submittedAt: NOW - DEFAULT_LIMITS.gather_s - 1 })
    const old: Attempt = { ...waiting, submittedAt: NOW - DEFAULT_LIMITS.gather_s - 2 }
    const held = allocation({ ...RUNNING, nodes: ['n1', 'n2', 'n3'] }, { nodes: 3, submittedAt: NOW - 2000 })
    const over = { agents: all.slice(0, 3), allocations: [held, rest] }
    expect(gatherResult({ ...over, attempts: [{ ...old, submittedAt: NOW - 60 }] })).toMatchObject({ do: 'watch', state: 'starting' })
    const action = gatherResult({ ...over, attempts: [old] })
    expect(action).toMatchObject({ do: 'abandon', diagnosis: { cause: 'preempted', suspects: [] } })
    const { cause, detail } = action.do === 'abandon' ? action.diagnosis : { cause: 'hang' as const, detail: '' }
    const ended: Attempt = { ...old, state: 'ended', endedAt: NOW, outcome: { cause, detail } }
    expect(gatherResult({ ...over, attempts: [ended] })).toMatchObject({
      do: 'cancel-jobs',
      why: expect.stringContaining('releases 3 nodes'),
    })
    // Nobody's fault: the next attempt begins at once, and counts as the first.
    expect(gatherResult({ attempts: [ended], agents: [], allocations: [] })).toMatchObject({ do: 'begin' })
    // A whole request that waits in the queue delays no other job.
    expect(gatherResult({ attempts: [old], agents: [], allocations: [{ ...rest, number: 1, nodes: 4 }] })).toMatchObject({ do: 'watch' })
  })

  const failed: Attempt = { ...attempt, state: 'ended', outcome: { cause: 'rank-died', detail: '' } }
  const next: Attempt = { ...waiting, number: 2, submittedAt: NOW }

  test('after a process died all restart in place', () =>
    expect(gatherResult({ attempts: [failed, next], agents: all })).toMatchObject({ do: 'place', members: MEMBERS }))

  describe('a node that died of which only the others are known to have failed', () => {
    const endedAgo = (age_s: number): Attempt => ({ ...failed, endedAt: NOW - age_s })
    const back = all.slice(0, 3).map((each) => ({ ...each, endedAttempt: 1 }))
    // Heard through the head a moment before, as all were.
    const missing = (age_s: number) => ({ ...agent(3, age_s + 0.5), announcedAt: NOW - age_s - 4, endedAttempt: 0 })
    const actionAfter = (age_s: number, agents: Observation['agents'], over: Partial<Observation> = {}) =>
      gatherResult({ attempts: [endedAgo(age_s), next], agents, ...over })

    test('gets no order before its agent has come back', () => {
      expect(actionAfter(0.5, [...back, missing(0.5)])).toMatchObject({ do: 'watch' })
      expect(actionAfter(0.5, [...back, { ...missing(0.5), endedAttempt: 1 }])).toMatchObject({ do: 'place', members: MEMBERS })
    })

    test('is replaced after a few seconds, by a spare where one is held', () => {
      expect(actionAfter(2.5, [...back, missing(2.5)])).toMatchObject({ do: 'allocate', nodes: 1 })
      const held = { allocations: [allocation(wide, { nodes: 5 })] }
      expect(actionAfter(0.5, [...back, missing(0.5), spare], held)).toMatchObject({ do: 'watch' })
      expect(actionAfter(2.5, [...back, missing(2.5), spare], held)).toMatchObject({
        do: 'place',
        members: [{ node: 'n1' }, { node: 'n2' }, { node: 'n3' }, { node: 'n5' }],
      })
    })

    test('its allocation is not given back before it has been silent for long', () => {
      const allocations = [allocation(), allocation({ ...RUNNING, nodes: ['n9'] }, { number: 2, nodes: 1 })]
      const stateAfter = (age_s: number) => {
        const over: Attempt = {
          ...endedAgo(age_s),
          members: [...MEMBERS.slice(0, 3), { allocation: 2, index: 0, node: 'n9', incarnation: 'late' }],
        }
        const agents = [
          ...all,
          { ...agent(0, age_s + 1), allocation: 2, node: 'n9', incarnation: 'late', announcedAt: NOW - age_s - 4, endedAttempt: 0 },
        ]
        return unneededAllocations(
          observationWith({ attempts: [over, { ...attempt, number: 2 }], agents, allocations }),
          DEFAULT_LIMITS,
        ).map(({ number }) => number)
      }
      expect(stateAfter(10)).toEqual([])
      expect(stateAfter(70)).toEqual([2])
    })

    test('an agent that the order never reached announces itself', () =>
      expect(actionAfter(0.5, [...back, { ...missing(0.5), announcedAt: NOW - 0.2 }])).toMatchObject({ do: 'place', members: MEMBERS }))

    test('an end in the future, by a clock that was wrong, holds up nothing', () =>
      expect(actionAfter(-3600, [...back, missing(0)])).toMatchObject({ do: 'place', members: MEMBERS }))
  })

  const lost: Attempt = { ...failed, outcome: { cause: 'node-lost', detail: '', nodes: ['n2'] } }
  const without: Attempt = { ...next, excluded: ['n2'] }

  test('a spare takes the rank of a lost node, the others keep theirs', () =>
    expect(
      gatherResult({ attempts: [lost, without], allocations: [allocation(wide, { nodes: 5 })], agents: [...all, spare] }),
    ).toMatchObject({
      do: 'place',
      members: [{ node: 'n1' }, { node: 'n5' }, { node: 'n3' }, { node: 'n4' }],
    }))

  test('without a spare only what is missing is asked for, elsewhere, and the others stay held', () => {
    expect(gatherResult({ attempts: [lost, without], agents: all })).toEqual({
      do: 'allocate',
      number: 2,
      nodes: 1,
      excluded: ['n2', 'n1', 'n3', 'n4'],
    })
    const asked = allocation({ state: 'pending', reason: 'Resources' }, { number: 2, nodes: 1, state: 'submitted' })
    expect(gatherResult({ attempts: [lost, without], agents: all, allocations: [allocation(), asked] })).toMatchObject({
      do: 'watch',
      state: 'starting',
    })
  })

  test('an attempt that may go on smaller takes what is left', () =>
    expect(gatherResult({ attempts: [lost, { ...without, nodes: 2 }], agents: all })).toMatchObject({
      do: 'place',
      members: [{ node: 'n1' }, { node: 'n3' }],
    }))

  test('what the executor has taken away is replaced', () => {
    const shrunk: Sighting = { state: 'running', nodes: ['n1', 'n2', 'n3'], unresponsive: [] }
    expect(gatherResult({ attempts: [failed, next], allocations: [allocation(shrunk)], agents: all })).toMatchObject({
      do: 'allocate',
      nodes: 1,
      excluded: ['n1', 'n2', 'n3'],
    })
    expect(gatherResult({ attempts: [failed, next], allocations: [], agents: [] })).toMatchObject({ do: 'allocate', nodes: 4 })
  })

  test('no agent heard, as after an outage on our side, requests nothing', () =>
    expect(gatherResult({ attempts: [failed, next], agents: all.map((each) => ({ ...each, heardAt: NOW - 600 })) })).toMatchObject({
      do: 'watch',
    }))

  test('one agent that stays silent while others speak is replaced in the end', () => {
    const silentFor = (age_s: number) => [...all.slice(0, 3), agent(3, age_s)]
    expect(gatherResult({ attempts: [failed, next], agents: silentFor(30) })).toMatchObject({ do: 'watch' })
    expect(gatherResult({ attempts: [failed, next], agents: silentFor(90) })).toMatchObject({ do: 'allocate', nodes: 1 })
  })

  test('nodes that are gone before anything could start are a failed attempt', () => {
    const { job: __job, ...made } = allocation()
    const endedAllocations = [{ ...made, state: 'ended', submittedAt: NOW, how: 'failed' } as const]
    expect(gatherResult({ attempts: [failed, next], agents: [], allocations: [], endedAllocations })).toMatchObject({
      do: 'abandon',
      diagnosis: { cause: 'job-ended' },
    })
  })

  test('ordered, and no agent reports: given up, and the silent nodes are suspected', () => {
    const placed: Attempt = { ...withoutSteps, startedAt: NOW - 61 }
    const agents = [agent(0, 80), ...all.slice(1)]
    expect(actionFor({ attempts: [placed], nodes: [], agents })).toMatchObject({
      do: 'abandon',
      diagnosis: { cause: 'start-timeout', suspects: ['n1'] },
    })
    expect(actionFor({ attempts: [placed], nodes: [], agents: all.map((each) => ({ ...each, heardAt: NOW - 80 })) })).toMatchObject({
      do: 'watch',
    })
  })

  test('a spare that was used is asked for again where a node is idle, and only then', () => {
    const shape = { nodes: 4, processesPerNode: 1, smaller: [], spares: 1 }
    expect(actionFor({ shape })).toEqual({ do: 'allocate', number: 2, nodes: 1, excluded: ['n1', 'n2', 'n3', 'n4'] })
    expect(actionFor({ shape, capacity: [] })).toMatchObject({ do: 'watch' })
    const asked = allocation({ state: 'pending', reason: 'Resources' }, { number: 2, nodes: 1, state: 'submitted' })
    const pending = { shape, allocations: [allocation(), asked] }
    expect(actionFor(pending)).toMatchObject({ do: 'watch' })
    expect(unneededAllocations(observationWith(pending), DEFAULT_LIMITS)).toEqual([])
  })

  test('a lost node that is idle again becomes the spare, and counts as one', () => {
    const shape = { nodes: 4, processesPerNode: 1, smaller: [], spares: 1 }
    const others = { state: 'running', nodes: ['n1', 'n3', 'n4', 'n5'], unresponsive: [] } as const
    const held = allocation(others, { nodes: 5, submittedAt: NOW - 1000 })
    const agents = [0, 2, 3, 4].map((index) => agent(index))
    const capacity = [{ name: 'n2', state: 'idle', slots: 8, free: 8 }] as const
    const members = agents.map(memberOf)
    const beats = others.nodes.map((node, index) => ({ ...beat(index), node }))
    const running = (since: number): Attempt => ({
      ...attempt,
      number: 2,
      submittedAt: since,
      excluded: ['n2'],
      members,
      placed: others.nodes,
    })
    const of = (since: number, over: Partial<Observation> = {}) =>
      actionFor({
        shape,
        allocations: [held],
        agents,
        capacity,
        nodes: beats,
        attempts: [{ ...lost, endedAt: since }, running(since)],
        ...over,
      })
    expect(of(NOW - 30)).toMatchObject({ do: 'watch' })
    expect(of(NOW - 90)).toEqual({ do: 'allocate', number: 2, nodes: 1, excluded: ['n1', 'n3', 'n4', 'n5'] })
    const returned = agent(0, 0.5, { allocation: 2, node: 'n2' })
    const again = allocation({ state: 'running', nodes: ['n2'], unresponsive: [] }, { number: 2, nodes: 1, submittedAt: NOW - 25 })
    const stocked = { allocations: [held, again], agents: [...agents, returned] }
    expect(of(NOW - 90, stocked)).toMatchObject({ do: 'watch' })
    const gone: Attempt = {
      ...running(NOW - 90),
      state: 'ended',
      endedAt: NOW - 20,
      outcome: { cause: 'node-lost', detail: '', nodes: ['n5'] },
    }
    const idle = [1, 2, 3, 4, 6].map((number) => ({ name: `n${number}`, state: 'busy', slots: 8, free: 0 }) as const)
    const attempts = [{ ...lost, endedAt: NOW - 90 }, gone]
    expect(actionFor({ shape, ...stocked, nodes: [], attempts, capacity: idle })).toMatchObject({ do: 'begin', excluded: ['n5'] })
  })

  test('a node whose agent is gone while the executor takes it for healthy is given back', () => {
    const gone = all.map((each) => (each.node === 'n2' ? { ...each, heardAt: NOW - 70 } : each))
    const desertedIn = (over: Partial<Observation>) => desertedNodes(observationWith(over), DEFAULT_LIMITS).map(({ nodes }) => nodes)
    expect(desertedIn({ attempts: [lost, without], agents: gone })).toEqual([['n2']])
    expect(desertedIn({ attempts: [lost, without], agents: all })).toEqual([])
    // The attempt that runs there is to be given up first; a node that does not answer leaves the job by itself; at times no agent is
    // heard.
    expect(desertedIn({ agents: gone })).toEqual([])
    expect(desertedIn({ attempts: [lost, without], agents: gone, job: { ...RUNNING, unresponsive: ['n2'] } })).toEqual([])
    expect(desertedIn({ attempts: [lost, without], agents: all.map((each) => ({ ...each, heardAt: NOW - 70 })) })).toEqual([])
    expect(desertedIn({ attempts: [lost, without], agents: gone.filter(({ node }) => node !== 'n2') })).toEqual([['n2']])
  })

  test('agents of a large run that announce themselves as often as they are asked to are heard', () => {
    const many = Array.from({ length: 1000 }, (_, index) => agent(index, 6))
    const job: Sighting = { state: 'running', nodes: many.map(({ node }) => node), unresponsive: [] }
    const shape = { nodes: 1000, processesPerNode: 1, smaller: [] }
    const large = { shape, job, allocations: [allocation(job, { nodes: 1000 })], agents: many, attempts: [{ ...waiting, nodes: 1000 }] }
    expect(gatherResult(large)).toMatchObject({ do: 'place' })
  })

  test('while an attempt ran its head spoke for all: silence counts from its end', () => {
    const over: Attempt = { ...failed, endedAt: NOW - 1 }
    const agents = all.map((each, index) => (index === 0 ? each : { ...each, heardAt: NOW - 100 }))
    expect(desertedNodes(observationWith({ attempts: [over, next], agents }), DEFAULT_LIMITS)).toEqual([])
    expect(gatherResult({ attempts: [over, next], agents })).toMatchObject({ do: 'watch' })
  })

  test('a request that the executor refused ends no attempt', () => {
    const refused = allocation({ state: 'absent' }, { number: 2, nodes: 1, state: 'ended', submittedAt: NOW + 1, endedAt: NOW + 1 })
    const { heldAt: _held, job: _job, ...never } = refused
    expect(gatherResult({ attempts: [waiting], agents: all.slice(0, 3), endedAllocations: [never] })).toMatchObject({
      do: 'allocate',
      number: 3,
    })
    // The executor may have too few nodes without the suspects.
    const again = gatherResult({
      attempts: [lost, { ...without, submittedAt: NOW - 5 }],
      allocations: [],
      agents: [],
      endedAllocations: [never],
    })
    expect(again).toMatchObject({ do: 'allocate', excluded: [] })
  })

  test('a spare that comes to nothing again and again is asked for less and less; one not sent yet is sent', () => {
    const shape = { nodes: 4, processesPerNode: 1, smaller: [], spares: 1 }
    const { job: _job, ...vain } = allocation({ state: 'absent' }, { number: 2, state: 'ended', submittedAt: NOW - 30, endedAt: NOW - 29 })
    expect(actionFor({ shape, endedAllocations: [vain] })).toMatchObject({ do: 'allocate', number: 3 })
    const often = [50, 40, 30].map((ago, index) => ({ ...vain, number: 2 + index, submittedAt: NOW - ago }))
    expect(actionFor({ shape, endedAllocations: often })).toMatchObject({ do: 'watch' })
    const unsent = allocation({ state: 'absent' }, { number: 2, nodes: 1, state: 'submitting' })
    expect(actionFor({ shape, allocations: [allocation(), unsent] })).toMatchObject({ do: 'submit-again' })
  })

  test('places that all name one node count as that one', () => {
    const same = all.map((each) => ({ ...each, node: 'n1', heardAt: NOW - 70 }))
    const other = agent(0, 0.2, { allocation: 2, node: 'n9' })
    const second = allocation({ state: 'running', nodes: ['n9'], unresponsive: [] }, { number: 2, nodes: 1 })
    const action = gatherResult({ agents: [...same, other], allocations: [allocation(RUNNING, { heldAt: NOW - 5 }), second] })
    expect(action).toMatchObject({ do: 'watch' })
  })

  test('the request for a replacement that came too late is cancelled', () => {
    const late = allocation({ state: 'pending', reason: 'Resources' }, { number: 2, nodes: 1, state: 'submitted' })
    expect(unneededAllocations(observationWith({ allocations: [allocation(), late] }), DEFAULT_LIMITS)).toEqual([late])
    expect(unneededAllocations(observationWith(), DEFAULT_LIMITS)).toEqual([])
  })
})

describe('what the executor shows of members in several allocations', () => {
  const two = memberOf(agent(0, 0, { allocation: 2, node: 'n9' }))
  const both = [...MEMBERS.slice(0, 3), two]
  const small = (job: Sighting): ObservedAllocation => allocation(job, { number: 2, nodes: 1 })
  const sightingWith = (job: Sighting) => sightingOfMembers(both, { allocations: [allocation(), small(job)], endedAllocations: [] })
  const nodes = ['n1', 'n2', 'n3', 'n9']
  test('all run', () =>
    expect(sightingWith({ state: 'running', nodes: ['n9'], unresponsive: [] })).toEqual({ state: 'running', nodes, unresponsive: [] }))
  test('one allocation ended: its nodes are gone, the attempt is not', () =>
    expect(sightingWith({ state: 'ended', how: 'node-failed' })).toEqual({ state: 'running', nodes, unresponsive: ['n9'] }))
  test('one cannot be seen', () => expect(sightingWith(BLIND)).toEqual(BLIND))
  test('all ended', () =>
    expect(sightingOfMembers(both, { allocations: [small({ state: 'ended', how: 'cancelled' })], endedAllocations: [] })).toEqual({
      state: 'ended',
      how: 'cancelled',
    }))
})
