import type { Attempt } from '@ironlaw/contracts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { needsCheck, slowNodes } from './check-nodes.ts'
import { agent, allocation, attempt, beat, actionFor, exit, MEMBERS, NOW, RUNNING, withoutSteps } from './observation.fixture.ts'
import type { NodeReading, Observation } from './observation.ts'

const reading = (node: number, over: Partial<NodeReading> = {}): NodeReading => ({
  node: `n${node}`,
  product_flops: 100e12,
  memory_bytes_per_s: 2e12,
  link_bytes_per_s: 40e9,
  ...over,
})
const all = [1, 2, 3, 4].map((node) => reading(node))
const shape = { nodes: 4, processesPerNode: 1, smaller: [], check: { share: 0.8 } }
const checking: Attempt = { ...withoutSteps, check: true, startedAt: NOW - 10 }
const checkAction = (over: Partial<Observation>) => actionFor({ shape, state: 'checking', attempts: [checking], readings: all, ...over })

describe('which nodes are slow', () => {
  const slowNodesIn = (readings: readonly NodeReading[], fleet: readonly NodeReading[] = []) => slowNodes(readings, { fleet, share: 0.8 })

  test('none where all reach about the same', () =>
    expect(slowNodesIn([reading(1, { product_flops: 85e12 }), ...all.slice(1)])).toEqual([]))

  test.each(['product_flops', 'memory_bytes_per_s', 'link_bytes_per_s'] as const)('one that lags in %s', (measure) =>
    expect(slowNodesIn([...all.slice(0, 3), reading(4, { [measure]: 0.5 * (reading(4)[measure] ?? 0) })])).toEqual([
      { node: 'n4', measure, share: 0.5 },
    ]),
  )

  test('two nodes are judged by those that other runs have checked', () => {
    const pair = [reading(1, { product_flops: 40e12 }), reading(2)]
    expect(
      slowNodesIn(
        pair,
        [3, 4, 5].map((node) => reading(node)),
      ),
    ).toMatchObject([{ node: 'n1', share: 0.4 }])
    expect(slowNodesIn([reading(1, { product_flops: 40e12 })])).toEqual([])
  })

  test('an earlier reading of the same node does not count', () =>
    expect(slowNodesIn([reading(1), reading(2)], [reading(1, { product_flops: 1e15 }), reading(2, { product_flops: 1e15 })])).toEqual([]))

  test('never more than half of them lag, and none that reaches the median', () =>
    fc.assert(
      fc.property(fc.array(fc.double({ min: 1, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 30 }), (rates) => {
        const readings = rates.map((product_flops, node) => reading(node, { product_flops }))
        const slow = slowNodesIn(readings)
        expect(slow.length).toBeLessThanOrEqual(readings.length / 2)
        expect(slow.every(({ share }) => share < 0.8)).toBe(true)
      }),
    ))
})

describe('a run whose nodes are checked', () => {
  const nextAction = (attempts: readonly Attempt[], over: Partial<Observation> = {}) =>
    actionFor({ shape, attempts, nodes: [], allocations: [], agents: [], job: { state: 'absent' }, ...over })

  test('begins with a check of the nodes and the spares, and holds no more than these', () => {
    expect(nextAction([], { shape: { ...shape, spares: 1 } })).toMatchObject({ do: 'begin', number: 1, nodes: 5, check: true })
    const waiting: Attempt = { number: 1, state: 'submitted', nodes: 5, excluded: [], check: true, submittedAt: NOW }
    expect(nextAction([waiting], { shape: { ...shape, spares: 1 } })).toMatchObject({ do: 'allocate', nodes: 5 })
  })

  test('says that it is being checked until every node has been read', () =>
    expect(checkAction({ readings: all.slice(1) })).toMatchObject({ do: 'watch', state: 'checking' }))

  test('starts in place when all are well', () => {
    expect(checkAction({})).toMatchObject({ do: 'abandon', diagnosis: { cause: 'checked', suspects: [] } })
    const over: Attempt = { ...checking, state: 'ended', endedAt: NOW, outcome: { cause: 'checked', detail: '' } }
    const next = nextAction([over])
    expect(next).toMatchObject({ do: 'begin', number: 2, nodes: 4 })
    expect(next).not.toHaveProperty('check')
  })

  test('a slow node is suspected, replaced, and the next ones are checked again', () => {
    const slow = checkAction({ readings: [...all.slice(0, 3), reading(4, { product_flops: 42e12 })] })
    expect(slow).toMatchObject({
      do: 'abandon',
      diagnosis: { cause: 'slow-node', suspects: ['n4'], detail: 'n4 reaches 42 % of the median in matrix product' },
    })
    const over: Attempt = { ...checking, state: 'ended', endedAt: NOW, outcome: { cause: 'slow-node', detail: '', nodes: ['n4'] } }
    expect(nextAction([over])).toMatchObject({ do: 'begin', number: 2, excluded: ['n4'], check: true })
    const next: Attempt = { number: 2, state: 'submitted', nodes: 4, excluded: ['n4'], check: true, submittedAt: NOW }
    expect(actionFor({ shape, attempts: [over, next], nodes: [], allocations: [allocation(RUNNING)], job: RUNNING })).toMatchObject({
      do: 'allocate',
      nodes: 1,
    })
  })

  test('after three checks it starts with what there is', () => {
    const over: Attempt = { ...checking, state: 'ended', outcome: { cause: 'slow-node', detail: '', nodes: ['n4'] } }
    const attempts = [1, 2, 3].map((number) => ({ ...over, number }))
    expect(needsCheck({ shape, attempts: attempts.slice(0, 2) })).toBe(true)
    expect(needsCheck({ shape, attempts })).toBe(false)
  })

  test('where most are slow none is replaced', () =>
    expect(
      checkAction({
        readings: all.map((each) => ({ ...each, product_flops: 10e12 })),
        fleetReadings: [5, 6, 7, 8, 9, 10].map((node) => reading(node)),
      }),
    ).toMatchObject({ diagnosis: { cause: 'checked', suspects: [], detail: expect.stringContaining('4 of 4') } }))

  test('a check that fails by itself does not delay the run', () =>
    expect(
      checkAction({ readings: [], exits: [exit(0, { code: 1, signal: null, witness: 0 }), exit(1, { killed: true, witness: 1 })] }),
    ).toMatchObject({
      diagnosis: { cause: 'checked', detail: expect.stringContaining('not checked') },
    }))

  test('a node that dies in a check is lost as at any other time', () =>
    expect(
      checkAction({
        readings: [],
        nodes: [beat(0), beat(1), beat(2), beat(3, 30)],
        exits: [exit(0, { code: 1, signal: null, witness: 0 }), exit(3, { code: null, signal: null, witness: 0 })],
      }),
    ).toMatchObject({ diagnosis: { cause: 'node-lost', suspects: ['n4'] } }))

  test('a node that sends no reading in time is taken for slow', () =>
    expect(checkAction({ readings: all.slice(0, 3), attempts: [{ ...checking, startedAt: NOW - 130 }] })).toMatchObject({
      diagnosis: { cause: 'slow-node', suspects: ['n4'] },
    }))

  test('recovery is not held up by another check', () => {
    const trained: Attempt = { ...attempt, number: 2, state: 'ended', endedAt: NOW, outcome: { cause: 'rank-died', detail: '' } }
    const next = nextAction([{ ...checking, state: 'ended', outcome: { cause: 'checked', detail: '' } }, trained], {
      allocations: [allocation()],
      agents: MEMBERS.map((_, index) => agent(index)),
      job: RUNNING,
    })
    expect(next).toMatchObject({ do: 'begin', number: 3, nodes: 4 })
    expect(next).not.toHaveProperty('check')
  })
})
