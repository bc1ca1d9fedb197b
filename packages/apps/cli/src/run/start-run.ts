// Creates a run from a request and follows it to its end unless detached.

import { randomUUID } from 'node:crypto'
import { isTerminal } from '@ironlaw/contracts'
import type { CreateRun } from '@ironlaw/contracts/api'
import { runInterruptible } from '../interruption.ts'
import { paint } from '../paint.ts'
import { api } from '../api/api-client.ts'
import type { Context } from '../context/context.ts'
import { followRun, runInterruption } from './follow-run.ts'
import { outcomeText, stateText } from './run-text.ts'

type Flags = { readonly detach?: true; readonly json?: true }

export async function startRun(to: Context, body: CreateRun, { detach, json }: Flags): Promise<void> {
  const made = await api(to).createRun({ body, headers: { 'idempotency-key': randomUUID() } })
  process.stdout.write(json ? `${JSON.stringify(made)}\n` : `${paint('bold', made.id)}  ${stateText(made.state)}\n`)
  if (detach || json) return
  const run = await runInterruptible(runInterruption(made.id), () => followRun(to, made))
  process.stdout.write(`${paint('bold', run.id)}  ${stateText(run.state)}  ${outcomeText(run)}\n`)
  if (isTerminal(run.state) && run.state !== 'succeeded') process.exitCode = 3
}
