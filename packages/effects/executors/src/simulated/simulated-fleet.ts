// A fleet that exists only in memory, on a clock that its user advances: nodes die, hang and return on command.
// The same calls at the same times give the same answers. `script` defines what a job does.

import type { Unreachable } from '../answers.ts'
import type { Executor, JobSighting } from '../executor.ts'
import { SimulatedCluster, type World } from './simulated-cluster.ts'

export type SimulatedFleet = {
  readonly executor: Executor
  readonly kill: (node: string) => void
  /** Its programs stop working and stay; the backend notices nothing. */
  readonly hang: (node: string) => void
  readonly restore: (node: string) => void
  readonly exit: (key: string, status: number) => void
  /** Every job that it ever took, whether the fleet can be reached or not. */
  readonly jobs: () => ReadonlyMap<string, JobSighting>
  /** Makes the fleet unreachable for this reason, until `undefined`. Jobs keep running meanwhile. */
  readonly cutOff: (reason: string | undefined) => void
}

export function simulatedFleet(world: World): SimulatedFleet {
  const cluster = new SimulatedCluster(world)
  let cut: string | undefined
  const ifReachable = async <T>(act: () => T): Promise<T | Unreachable> => {
    if (cut !== undefined) return { answer: 'unreachable', reason: cut }
    cluster.settle()
    return act()
  }
  return {
    executor: {
      submit: (job) => ifReachable(() => cluster.submit(job)),
      sightings: (keys) => ifReachable(() => ({ answer: 'seen', jobs: new Map(keys.map((key) => [key, cluster.sighting(key)])) })),
      cancel: (key) => ifReachable(() => cluster.cancel(key)),
      release: (key, nodes) => ifReachable(() => cluster.release(key, nodes)),
      capacity: () => ifReachable(() => ({ answer: 'capacity', nodes: cluster.nodes() })),
      drain: (node, reason) => ifReachable(() => cluster.setDrained(node, reason)),
      undrain: (node) => ifReachable(() => cluster.setDrained(node, undefined)),
    },
    kill: (node) => cluster.set(node, { kind: 'dead', since_s: world.now_s() }),
    hang: (node) => cluster.set(node, { kind: 'hung' }),
    restore: (node) => cluster.set(node, { kind: 'up' }),
    exit: (key, status) => cluster.exit(key, status),
    jobs: () => {
      cluster.settle()
      return cluster.jobs()
    },
    cutOff: (reason) => {
      cut = reason
    },
  }
}
