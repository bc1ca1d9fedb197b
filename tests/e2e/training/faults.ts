// What happens to a run in its life, each as one act on the testbed. An act returns when the damage is done; whatever is to be put
// right again by people is put right inside it.

import { openSync, readdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { NodeView } from '@ironlaw/contracts/api'
import type { Testbed } from '../../../tools/testbed/testbed.ts'
import type { ControlPlane } from './control-plane.ts'
import { parentOf, rankPid } from './rank-process.ts'

export type Scene = { readonly testbed: Testbed; readonly plane: ControlPlane; readonly run: string }

export type Fault = {
  readonly name: string
  /** Whether an attempt ends with it. */
  readonly fatal: boolean
  readonly act: (scene: Scene) => Promise<unknown>
}

const OUTAGE_MS = 1000 * Number(process.env['E2E_OUTAGE_S'] ?? 60)
/** After Slurm has given the node up (27 to 39 s here): one that returns sooner stays in its job without an agent, and is no spare. */
const REPAIR_MS = 50_000
const AGENT_START_MS = 2000
const THAW_MS = 7000
/** Of six. */
const NODES_USED = 4
const MOST_UNDER_REPAIR = 1
const STOCKED_MS = 120_000

export const FAULTS: readonly Fault[] = [
  { name: 'a worker is killed', fatal: true, act: killWorker },
  { name: 'a node dies', fatal: true, act: killNode },
  { name: 'only slurmd dies', fatal: false, act: killSlurmd },
  { name: 'slurmctld restarts', fatal: false, act: ({ testbed }) => restart(testbed, 'slurmctld') },
  { name: `the control plane is down for ${OUTAGE_MS / 1000} s`, fatal: false, act: stopPlane },
  { name: 'PostgreSQL restarts', fatal: false, act: ({ testbed }) => restart(testbed, 'postgres') },
  { name: 'the newest checkpoint is corrupted, then a worker is killed', fatal: true, act: corruptCheckpoint },
]

/** When it happened, in unix seconds. */
export async function killWorker({ run }: Scene): Promise<number> {
  const pid = rankPid(run, 2)
  const at = Date.now() / 1000
  process.kill(pid, 'SIGKILL')
  return at
}

const underRepair = new Set<string>()

/** Not before the fleet can spare it: a run that waits because there are no nodes left says nothing about recovery. */
export async function killNode(scene: Scene): Promise<number> {
  while (underRepair.size > MOST_UNDER_REPAIR) await pause(500)
  const node = await findNode(scene, 1)
  underRepair.add(node)
  const at = Date.now() / 1000
  await scene.testbed.killNode(node)
  // Somebody repairs it; the run must not wait for that.
  setTimeout(() => void repair(scene, node), REPAIR_MS)
  return at
}

/** Waits for the spare that took the place of a lost node before to be replaced itself. */
export async function killNodeWithSpare(scene: Scene): Promise<number> {
  const { plane, run } = scene
  const isStocked = async (): Promise<boolean> => {
    const lost = (await plane.attempts(run)).filter(({ outcome }) => outcome?.cause === 'node-lost').length
    const held = (await plane.events(run)).filter(({ kind }) => kind === 'allocation-held').length
    return held > lost
  }
  for (const deadline = Date.now() + STOCKED_MS; !(await isStocked()); await pause(200))
    if (Date.now() > deadline) throw new Error(`${run} got no other spare`)
  // Its agent announces itself a moment after its node is held.
  await pause(AGENT_START_MS)
  return killNode(scene)
}

/**
 * The agent hears and says nothing, its connections stay open, and its rank is gone: a node without power, as the others see it. Later it
 * goes on, unless its node was given back meanwhile, and finds another in its place.
 */
export async function freezeNode({ run }: Scene): Promise<number> {
  while (underRepair.size > 0) await pause(500)
  const rank = rankPid(run, 1)
  const agent = parentOf(rank)
  const at = Date.now() / 1000
  process.kill(agent, 'SIGSTOP')
  process.kill(rank, 'SIGKILL')
  setTimeout(() => {
    try {
      process.kill(agent, 'SIGCONT')
    } catch {
      // Its node was given back, and with it the agent.
    }
  }, THAW_MS)
  return at
}

/** Waits until the run holds a spare, and all nodes are well. */
export async function freezeNodeWithSpare(scene: Scene): Promise<number> {
  while (underRepair.size > 0) await pause(500)
  const held = async (): Promise<number> =>
    (await scene.plane.ask<{ items: NodeView[] }>('/v1/nodes')).items.filter(({ state }) => state === 'busy').length
  for (const deadline = Date.now() + STOCKED_MS; (await held()) <= NODES_USED; await pause(200))
    if (Date.now() > deadline) throw new Error(`${scene.run} got no other spare`)
  await pause(AGENT_START_MS)
  return freezeNode(scene)
}

async function repair({ testbed, plane }: Scene, node: string): Promise<void> {
  await testbed.restoreNode(node)
  underRepair.delete(node)
  // Another fault may have the control plane down just now.
  for (const deadline = Date.now() + 2 * OUTAGE_MS; Date.now() < deadline; await pause(500))
    if (
      await plane.post(`/v1/nodes/${node}/undrain`).then(
        () => true,
        () => false,
      )
    )
      return
}

async function killSlurmd(scene: Scene): Promise<void> {
  const node = await findNode(scene, 2)
  await scene.testbed.killSlurmd(node)
  await pause(5000)
  await scene.testbed.restoreNode(node)
}

async function restart(testbed: Testbed, service: 'slurmctld' | 'postgres'): Promise<void> {
  await testbed.stopService(service)
  await pause(2000)
  await testbed.startService(service)
}

async function stopPlane({ plane }: Scene): Promise<void> {
  await plane.kill()
  await pause(OUTAGE_MS)
  await plane.start()
}

async function corruptCheckpoint(scene: Scene): Promise<void> {
  const { plane, run } = scene
  const newest = (await plane.checkpoints(run)).findLast(({ state }) => state === 'committed')
  if (!newest) throw new Error('nothing was committed yet')
  const shards = join(
    plane.runs,
    run,
    'attempts',
    String(newest.attempt).padStart(4, '0'),
    'shards',
    `step-${String(newest.step).padStart(8, '0')}`,
  )
  const [shard = ''] = readdirSync(shards)
  writeSync(openSync(join(shards, shard), 'r+'), Buffer.from('flipped'), 0, 7, 4096)
  await killWorker(scene)
}

async function findNode({ plane, run }: Scene, index: number): Promise<string> {
  const node = (await plane.attempts(run)).at(-1)?.placed?.[index]
  if (node === undefined) throw new Error(`${run} runs nowhere`)
  return node
}
