// Follows the logs of an attempt, polled by byte offset so that a lost connection neither skips nor repeats output.

import { setTimeout as pause } from 'node:timers/promises'
import { isTerminal } from '@ironlaw/contracts'
import type { RunView } from '@ironlaw/contracts/api'
import { runInterruptible } from '../interruption.ts'
import { api } from '../api/api-client.ts'
import { readWhenReachable } from '../api/read-until.ts'
import { printReplicaLogs } from '../deployment/replica-logs.ts'
import { type Context, context } from '../context/context.ts'
import { findRun } from '../run/find-run.ts'
import { findSubject } from './find-subject.ts'
import { runInterruption, deploymentInterruption } from '../run/follow-run.ts'

export type LogFlags = { readonly rank: string; readonly attempt?: string; readonly replica?: string; readonly follow?: true }

const POLL_MS = 500

export async function printLogs(name: string, flags: LogFlags): Promise<void> {
  const to = context()
  const subject = await findSubject(to, name)
  const [print, following] =
    subject.kind === 'run'
      ? [() => printFrom(to, subject.run, flags), runInterruption(subject.run.id)]
      : [() => printReplicaLogs(to, subject.deployment, flags), deploymentInterruption(subject.deployment.name)]
  if (flags.follow) await runInterruptible(following, print)
  else await print()
}

async function printFrom(to: Context, first: RunView, { rank, attempt, follow }: LogFlags): Promise<void> {
  let run = first
  let shown = Number(attempt ?? run.attempt)
  let offset = 0
  const read = follow ? readWhenReachable : <Value>(once: () => Promise<Value>): Promise<Value> => once()
  for (;;) {
    const over = isTerminal(run.state)
    const query = { attempt: shown, rank: Number(rank), offset }
    const { value: text, header } = await read(() => api(to).readLog({ id: run.id, query }))
    process.stdout.write(text)
    offset = Number(header ?? offset)
    if (text.length > 0) continue
    if (!follow || over) return
    await pause(POLL_MS)
    run = await read(() => findRun(to, run.id))
    if (attempt === undefined && run.attempt !== shown) {
      shown = run.attempt
      offset = 0
      process.stderr.write(`--- attempt ${shown}\n`)
    }
  }
}
