// Runs planned for GPUs on nodes of four that Slurm counts: two share a node, each alone with its two, a third waits and says for what.

import { setTimeout as pause } from 'node:timers/promises'
import type { RunView } from '@ironlaw/contracts/api'
import type { Ledger } from '@ironlaw/contracts/ledger'
import { mustRun } from '../../../tools/testbed/daemon.ts'
import { environmentOf, everyPid } from '../../../tools/testbed/processes.ts'
import type { Testbed } from '../../../tools/testbed/testbed.ts'
import type { ControlPlane } from './control-plane.ts'
import { rankPid } from './rank-process.ts'
import { applyRun, waitForEnd, ironlaw, until } from './trained-run.ts'

/** Of each node of the testbed. */
export const DEVICES = { model: 'h100', perNode: 4 } as const
const ENDLESS = 1_000_000
const STARTED_WITHIN_MS = 120_000

type Scene = { readonly testbed: Testbed; readonly plane: ControlPlane; readonly directory: string; readonly say: (text: string) => void }

/** What was not as it has to be. */
export async function checkDevices({ testbed, plane, directory, say }: Scene): Promise<readonly string[]> {
  const failures: string[] = []
  const check = (what: string, found: unknown, expected: unknown): void => {
    if (JSON.stringify(found) !== JSON.stringify(expected))
      failures.push(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`)
  }
  const apply = (name: string, perNode: number): Promise<RunView> =>
    applyRun(plane, { name, steps: ENDLESS, directory, checkpointEvery: '60s', pace_s: 0.25, gpus: { accelerator: 'h100-sxm', perNode } })
  const [node = '', ...others] = testbed.nodes
  // One node is left, so that its four devices are all there are.
  await update(testbed, others, 'State=DRAIN', 'Reason=e2e')
  const [first, second] = [await apply('gpus-1', 2), await apply('gpus-2', 2)]
  for (const { id } of [first, second]) await waitUntilStarted(id)
  const held = [first, second].map(({ id }) => [0, 1].map((rank) => visibleTo(id, rank)))
  check('devices that both ranks of a run see', held, [Array(2).fill(held[0]?.[0]), Array(2).fill(held[1]?.[0])])
  check('devices of two runs', held.flatMap(([devices = '']) => devices.split(',')).toSorted(), ['0', '1', '2', '3'])
  const third = await apply('gpus-3', 2)
  const { why } = await until(plane, third.id, ({ why: reason }) => reason.includes('needs 1 node with 2 free gpu:h100'))
  say(`the third waits: ${why}`)
  if (!(await ironlaw(plane, ['get', 'gpus-3'])).includes(`(${node} 0 of 4 free, `))
    failures.push('"ironlaw get" does not say what is taken')
  if (!(await ironlaw(plane, ['get', 'nodes'])).includes('0 of 4 gpu:h100')) failures.push('"ironlaw get nodes" does not show the devices')
  const eight = await apply('gpus-8', 8)
  const misfit = await until(plane, eight.id, ({ state, why: reason }) => state === 'queued' && reason.includes('no node has more than 4'))
  say(`one for eight waits: ${misfit.why}`)
  await until(plane, first.id, ({ step = 0 }) => step > 0)
  const { running, deviations } = await plane.ask<Ledger>(`/v1/runs/${first.id}/ledger`)
  check('data-parallel ranks by the ledger', running?.data, 2)
  check('deviations from the plan', deviations, [])
  await cancelRun(plane, first.id)
  await waitUntilStarted(third.id)
  check('devices of the third run', visibleTo(third.id, 1), held[0]?.[0])
  for (const { id } of [second, third, eight]) await cancelRun(plane, id)
  await update(testbed, others, 'State=RESUME')
  say(`two runs held ${held.map(([devices = '']) => devices).join(' and ')} of one node, the third took those of the first`)
  return failures
}

async function update({ env }: Testbed, nodes: readonly string[], ...change: readonly string[]): Promise<void> {
  await mustRun('scontrol', ['update', `NodeName=${nodes.join(',')}`, ...change], { env: { PATH: process.env.PATH, ...env } })
}

/** Both ranks have a process; their first step is not waited for. */
async function waitUntilStarted(run: string): Promise<void> {
  for (const deadline = Date.now() + STARTED_WITHIN_MS; pidsOf(run).length < 2; await pause(100))
    if (Date.now() > deadline) throw new Error(`no ranks of ${run} after ${STARTED_WITHIN_MS / 1000} s`)
}

const pidsOf = (run: string): readonly number[] =>
  everyPid().filter((pid) => {
    const environment = environmentOf(pid)
    return environment.has(`IRONLAW_RUN=${run}`) && environment.has('LOCAL_WORLD_SIZE=2')
  })

async function cancelRun(plane: ControlPlane, id: string): Promise<void> {
  await ironlaw(plane, ['cancel', id])
  await waitForEnd(plane, id)
}

const VARIABLE = 'CUDA_VISIBLE_DEVICES='

const visibleTo = (run: string, rank: number): string =>
  [...environmentOf(rankPid(run, rank))].find((entry) => entry.startsWith(VARIABLE))?.slice(VARIABLE.length) ?? 'unset'
