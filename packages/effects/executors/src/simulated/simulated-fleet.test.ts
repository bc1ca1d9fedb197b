import { beforeEach, describe, expect, test } from 'vitest'
import { executorConformance } from '../conformance.ts'
import type { Behaviour } from '../conformance/rig.ts'
import type { JobSpec } from '../job-spec.ts'
import type { Script } from './simulated-cluster.ts'
import { type SimulatedFleet, simulatedFleet } from './simulated-fleet.ts'

const NODES = ['n1', 'n2', 'n3', 'n4']
const DEVICES = { kind: 'gpu:h100', perNode: 4 }

function scriptOf({ argv: [text = ''] }: JobSpec): Script {
  const behaviour: Behaviour = JSON.parse(text)
  switch (behaviour.does) {
    case 'run':
      return { lasts_s: behaviour.for_s, exit: 0 }
    case 'exit':
      return { lasts_s: 0, exit: behaviour.status }
    case 'last':
      return { lasts_s: Math.max(...behaviour.for_s), exit: Math.max(...behaviour.statuses) }
    case 'die':
      return { lasts_s: 0, exit: 128 + behaviour.signal }
  }
}

executorConformance('simulated', async () => {
  let now_s = 0
  const { executor, cutOff, kill, restore } = simulatedFleet({
    nodes: NODES,
    slots: 8,
    devices: DEVICES,
    now_s: () => now_s,
    script: scriptOf,
  })
  return {
    executor,
    nodes: NODES,
    slots: 8,
    devices: DEVICES,
    argv: (behaviour) => [JSON.stringify(behaviour)],
    pass: async (seconds) => {
      now_s += seconds
    },
    // The caller is not part of the fleet: when it dies, the call was made or it was not.
    crash: async (job, when) => {
      if (when === 'after') await executor.submit(job)
    },
    count: async (key) => {
      const seen = await executor.sightings([key])
      return seen.answer === 'seen' && ['pending', 'running', 'ending'].includes(seen.jobs.get(key)?.state ?? '') ? 1 : 0
    },
    breakBackend: async () => {
      cutOff('the cable is out')
      return async () => cutOff(undefined)
    },
    hasten: async () => undefined,
    loseNode: async (node) => {
      kill(node)
      return async () => restore(node)
    },
    withoutLogs: 'programs are not run',
    stop: async () => undefined,
  }
})

describe('nodes of a simulated fleet', () => {
  let now_s: number
  let fleet: SimulatedFleet
  const job = (key: string, change: Partial<JobSpec> = {}): JobSpec => ({
    key,
    nodes: 2,
    processesPerNode: 8,
    exclude: [],
    argv: ['train'],
    env: {},
    directory: '/',
    logDirectory: '/',
    ...change,
  })
  const state = async (key: string): Promise<unknown> => {
    const seen = await fleet.executor.sightings([key])
    const sighting = seen.answer === 'seen' ? seen.jobs.get(key) : undefined
    return sighting?.state === 'ended' ? sighting.how : sighting?.state
  }
  const nodeState = async (name: string): Promise<unknown> => {
    const shown = await fleet.executor.capacity()
    return shown.answer === 'capacity' && shown.nodes.find((node) => node.name === name)?.state
  }
  beforeEach(() => {
    now_s = 0
    fleet = simulatedFleet({ nodes: NODES, slots: 8, now_s: () => now_s, script: () => ({ lasts_s: 100, exit: 0 }), detection_s: 30 })
  })

  test('a death shows only when the backend believes it; then a waiting job gets the surviving node', async () => {
    await fleet.executor.submit(job('a'))
    await fleet.executor.submit(job('b', { exclude: ['n1', 'n2'] }))
    await fleet.executor.submit(job('c', { nodes: 1, exclude: ['n3', 'n4'] }))
    now_s = 10
    fleet.kill('n2')
    now_s = 39
    expect([await state('a'), await state('c'), await nodeState('n2')]).toEqual(['running', 'pending', 'unresponsive'])
    now_s = 40
    expect([await state('a'), await state('b'), await state('c'), await nodeState('n2')]).toEqual([
      'node-failed',
      'running',
      'running',
      'down',
    ])
    now_s = 139
    expect(await state('c')).toBe('running')
    now_s = 140
    expect(await state('c')).toBe('completed')
  })

  test('a node back before that leaves a job that looks alive for ever; so does a hung one', async () => {
    await fleet.executor.submit(job('a'))
    await fleet.executor.submit(job('b'))
    now_s = 10
    fleet.kill('n1')
    fleet.hang('n3')
    now_s = 15
    fleet.restore('n1')
    now_s = 1e6
    expect([await state('a'), await state('b'), await nodeState('n1'), await nodeState('n3')]).toEqual([
      'running',
      'running',
      'busy',
      'busy',
    ])
    await fleet.executor.cancel('a')
    expect(await state('a')).toBe('cancelled')
  })

  test('a program that exits ends its job, and the next one takes its place', async () => {
    await fleet.executor.submit(job('a', { nodes: 4 }))
    await fleet.executor.submit(job('b', { nodes: 4 }))
    fleet.cutOff('cable')
    fleet.exit('a', 3)
    expect([...fleet.jobs()]).toMatchObject([
      ['a', { state: 'ended', how: 'failed', exit: 3 }],
      ['b', { state: 'running' }],
    ])
  })

  test('a cancelled job lingers on a dead node and does not hold up the others', async () => {
    await fleet.executor.submit(job('a'))
    fleet.kill('n1')
    await fleet.executor.cancel('a')
    await fleet.executor.submit(job('b'))
    now_s = 29
    expect([await state('a'), await state('b')]).toEqual(['ending', 'running'])
    now_s = 30
    expect(await state('a')).toBe('cancelled')
  })
})
