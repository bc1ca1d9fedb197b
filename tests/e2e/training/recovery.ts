// How long a run stands still after a worker or a node dies, and where that time goes; compared with Slurm's own requeue.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { writeFileSync } from 'node:fs'
import type { AttemptView, NodeView } from '@ironlaw/contracts/api'
import type { Testbed } from '../../../tools/testbed/testbed.ts'
import type { Scene } from './faults.ts'
import { until } from './trained-run.ts'

/** Seconds from the fault on. */
export type Recovery = {
  /** Until the attempt was given up. */
  readonly detect: number
  /** From then until the next one had its nodes. */
  readonly place: number
  /** From then until the last of its ranks was started. */
  readonly start: number
  /** From the fault until then: what the control plane and the cluster take; the rest is the program's. */
  readonly toRanks: number
  readonly toFirstStep: number
  readonly total: number
}

/** The fault comes once the run got further than before: faults in quick succession would measure the wait after fruitless attempts. */
export async function measureRecovery(scene: Scene, act: (scene: Scene) => Promise<number>): Promise<Recovery> {
  const { plane, run } = scene
  const reached = Math.max(0, ...(await plane.attempts(run)).filter(({ state }) => state === 'ended').map(({ last_step = 0 }) => last_step))
  const before = await until(
    plane,
    run,
    ({ state, step = 0, checkpoint_step }) => state === 'running' && step > reached && checkpoint_step !== undefined,
  )
  while ((await plane.ask<{ items: NodeView[] }>('/v1/nodes')).items.some(({ state }) => state !== 'idle' && state !== 'busy'))
    await pause(500)
  await pause(1500)
  const fault = await act(scene)
  await until(plane, run, ({ state, attempt, step }) => state === 'running' && attempt > before.attempt && step !== undefined)
  return recoveryTimes(scene, fault, (await plane.attempts(run)).slice(before.attempt - 1))
}

async function recoveryTimes({ plane, run }: Scene, fault: number, [over, next]: readonly AttemptView[]): Promise<Recovery> {
  const events = await plane.events(run)
  const starts = events
    .filter(({ kind, body }) => kind === 'agent-started' && body['attempt'] === next?.number)
    .map(({ body }) => Number(body['at']))
  if (!over?.ended_at || !next?.started_at || !next.first_step_at || starts.length < next.nodes)
    throw new Error(`the recovery left no record: ${JSON.stringify([over, next])}, ${starts.length} agents started`)
  const started = Math.max(...starts)
  return {
    detect: over.ended_at - fault,
    place: next.started_at - over.ended_at,
    start: started - next.started_at,
    toRanks: started - fault,
    toFirstStep: next.first_step_at - started,
    total: next.first_step_at - fault,
  }
}

/** From the death of a node until Slurm itself runs the job again, elsewhere. */
export async function slurmRequeue(testbed: Testbed): Promise<number> {
  const env = { ...process.env, ...testbed.env }
  const script = join(testbed.dir, 'requeued.sh')
  writeFileSync(script, '#!/bin/sh\nexec srun sleep 600\n')
  const job = execFileSync('sbatch', ['--parsable', '--requeue', '--nodes=4', '--ntasks=4', '--output=/dev/null', script], {
    env,
    encoding: 'utf8',
  }).trim()
  const jobField = (format: string): string =>
    execFileSync('squeue', ['--noheader', `--jobs=${job}`, `--format=${format}`], { env, encoding: 'utf8' }).trim()
  while (jobField('%T') !== 'RUNNING') await pause(200)
  await pause(2000)
  const nodes = execFileSync('scontrol', ['show', 'hostnames', jobField('%N')], { env, encoding: 'utf8' })
    .trim()
    .split('\n')
  const node = nodes[1] ?? ''
  const fault = Date.now()
  await testbed.killNode(node)
  while (jobField('%T') === 'RUNNING') await pause(200)
  while (jobField('%T') !== 'RUNNING') await pause(200)
  const waited = (Date.now() - fault) / 1000
  execFileSync('scancel', [job], { env })
  await testbed.restoreNode(node)
  return waited
}

/** Jobs that each want a whole node, more of them than there are nodes: whatever is given back is theirs at once. */
export function startRivals(testbed: Testbed, count: number): () => void {
  const env = { ...process.env, ...testbed.env }
  const script = join(testbed.dir, 'rival.sh')
  writeFileSync(script, '#!/bin/sh\nexec sleep 3600\n')
  for (let each = 0; each < count; each += 1)
    execFileSync('sbatch', ['--job-name=rival', '--nodes=1', '--exclusive', '--output=/dev/null', script], { env })
  return () => void execFileSync('scancel', ['--name=rival'], { env })
}
