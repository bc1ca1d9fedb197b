// Follows the log of a replica's engine, polled by byte offset.

import { setTimeout as pause } from 'node:timers/promises'
import { IronlawError } from '@ironlaw/contracts'
import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import { api } from '../api/api-client.ts'
import { readWhenReachable } from '../api/read-until.ts'
import type { Context } from '../context/context.ts'
import { wholeNumber } from '../whole-number.ts'

const POLL_MS = 500

export type ReplicaLogFlags = { readonly replica?: string; readonly follow?: true }

export async function printReplicaLogs(to: Context, deployment: DeploymentView, { replica, follow }: ReplicaLogFlags): Promise<void> {
  const number = replica === undefined ? newestReplica(deployment) : wholeNumber('--replica', replica.split('.').at(-1) ?? replica)
  const id = `${deployment.id}.${number}`
  process.stderr.write(`--- replica ${id}\n`)
  for (let offset = 0; ;) {
    const isOver = follow ? await readWhenReachable(() => isGone(to, deployment.id, id)) : true
    const readLog = () => api(to).readReplicaLog({ name: deployment.id, replica: number, query: { offset } })
    const { value: text, header } = await (follow ? readWhenReachable(readLog) : readLog())
    process.stdout.write(text)
    offset = Number(header ?? offset)
    if (text.length > 0) continue
    if (isOver) return
    await pause(POLL_MS)
  }
}

const replicaNumber = (id: string): number => Number(id.split('.').at(-1))

/** Among live replicas, or else the last one that ended. */
function newestReplica({ name, replicas, gone = [] }: DeploymentView): number {
  const living = replicas.map(({ id }) => replicaNumber(id))
  const [last] = living.length > 0 ? [Math.max(...living)] : gone.map(({ id }) => replicaNumber(id))
  if (last === undefined)
    throw new IronlawError('IL_USAGE', { problem: `deployment "${name}" has not started a replica yet`, command: 'describe' })
  return last
}

async function isGone(to: Context, name: string, id: string): Promise<boolean> {
  const { replicas } = await api(to).getDeployment({ name })
  return !replicas.some((each) => each.id === id)
}
