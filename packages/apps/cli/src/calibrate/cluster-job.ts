// The measuring program as an ordinary run of the control plane: submitted like a training run, read through its log.

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { IronlawError, isTerminal, planId } from '@ironlaw/contracts'
import type { CalibrationPlan } from '@ironlaw/contracts/run-plan'
import type { CreateRun } from '@ironlaw/contracts/api'
import { api } from '../api/api-client.ts'
import type { Context } from '../context/context.ts'
import { findRun } from '../run/find-run.ts'
import { PYTHON_SDK } from './local-job.ts'
import { type MeasuredLine, measuredLine } from './measured-rows.ts'

export type ClusterJob = {
  readonly accelerator: string
  /** Accelerators per node; none for a CPU, or for an accelerator that no catalog knows yet. */
  readonly devices?: CreateRun['shape']['devices'] | undefined
  readonly nodes: number
  readonly processes: number
  readonly arguments: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

const POLL_MS = 500
/** A run may report its end before its last log lines arrive. */
const LAST_LINES_WITHIN_ms = 15_000
/** Longer than any measurement takes, storage included: only a run that hangs is stopped by it. */
const LONGEST_MEASUREMENT_s = 5

export async function* measureOnCluster(to: Context, job: ClusterJob): AsyncGenerator<MeasuredLine> {
  let run = await api(to).createRun({ body: runOf(job), headers: { 'idempotency-key': randomUUID() } })
  process.stderr.write(`${run.id}\n`)
  let attempt = 0
  let offset = 0
  let rest = ''
  let last: MeasuredLine | undefined
  let patience = LAST_LINES_WITHIN_ms / POLL_MS
  for (;;) {
    const over = isTerminal(run.state)
    if (run.attempt !== attempt) [attempt, offset, rest] = [run.attempt, 0, '']
    const answer = attempt === 0 ? undefined : await api(to).readLog({ id: run.id, query: { attempt, offset } })
    offset = Number(answer?.header ?? offset)
    const lines = `${rest}${answer?.value ?? ''}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const found = measuredLine(line)
      if (found) yield (last = found)
    }
    if (answer && answer.value.length > 0) continue
    if (over && (last?.measured === 'end' || run.state !== 'succeeded' || patience <= 0)) break
    await pause(POLL_MS)
    if (over) patience -= 1
    else run = await findRun(to, run.id)
  }
  if (run.state !== 'succeeded')
    throw new IronlawError('IL_USAGE', { problem: `measuring ${run.state}: ${run.outcome?.detail ?? run.why}`, command: 'calibrate' })
}

function runOf({ accelerator, devices, nodes, processes, arguments: given, environment }: ClusterJob): CreateRun {
  const name = `calibrate-${accelerator}`.slice(0, 40)
  const plan: Omit<CalibrationPlan, 'id'> = {
    apiVersion: 'ironlaw/v1',
    kind: 'Calibration',
    name,
    fleet: { accelerator, devices: nodes * processes, perNode: processes },
    prediction: { step_s: LONGEST_MEASUREMENT_s },
  }
  return {
    name,
    project: 'default',
    plan: { ...plan, id: planId(plan) },
    program: { argv: ['__main__.py', ...given], directory: join(PYTHON_SDK, 'ironlaw/measure'), environment: { ...environment } },
    shape: { nodes, processesPerNode: processes, smaller: [], ...(devices && { devices }) },
  }
}
