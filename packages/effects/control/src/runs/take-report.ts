// Reports of agents: kept once, those that arrive together in one statement, each answered with how often to save and whether to stop.

import { IronlawError, isTerminal } from '@ironlaw/contracts'
import type { Report, ReportResponse } from '@ironlaw/contracts/report'
import {
  type Database,
  isPlain,
  type ReceivedReport,
  type Run,
  recordReport,
  recordReports,
  runOf,
  type ReportReceipt,
} from '@ironlaw/store'
import { batchCalls } from '../concurrent-calls/batch.ts'
import { checkpointInterval } from './checkpoint-interval.ts'
import { specOfRun } from './run-spec.ts'

type ReportContext = {
  readonly database: Database
  readonly run_id: string
  readonly attempt: number
  readonly now: number
  /** Something happened that the reconciler should look at without waiting for its turn. */
  readonly onWake: () => void
  readonly record?: Recorder
}

type Recorder = (received: ReceivedReport) => Promise<ReportReceipt>

/** Reports in one statement: at some 1 kB each it takes milliseconds, and other statements wait no longer for it. */
const AT_ONCE = 256

/** Plain reports that arrive together go together; one with exits or notes goes alone. */
export function recorder(database: Database): Recorder {
  const together = batchCalls(AT_ONCE, (received: readonly ReceivedReport[]) => recordReports(database, received))
  return (received) => (isPlain(received.report) ? together(received) : recordReport(database, received))
}

export async function takeReport(reporting: ReportContext, report: Report): Promise<ReportResponse> {
  const { database, run_id, attempt, now, onWake, record = recorder(database) } = reporting
  const received = { run_id, attempt, received_at: now, report }
  const taken = await record(received)
  if (taken.recorded === 'fenced') throw new IronlawError('IL_FENCED', { run: run_id, attempt })
  if (taken.recorded === 'unknown') throw new IronlawError('IL_NOT_FOUND', { kind: 'attempt', id: `${run_id}.${attempt}` })
  if (report.exits.length > 0 || report.notes.some(({ kind }) => kind === 'completed')) onWake()
  return { checkpoint_every_s: await interval(database, received), stop: stopOf(taken) }
}

/** Null leaves it as it is: only a checkpoint that was just measured gives reason to change. */
async function interval(database: Database, { run_id, report, received_at }: ReceivedReport): Promise<number | null> {
  const saved = report.checkpoints.findLast(({ state }) => state === 'committed')
  const run = saved && (await runOf(database, run_id))
  if (!saved || !run) return null
  const { shape } = specOfRun(run)
  return (
    shape.checkpointEvery_s ??
    checkpointInterval({
      accelerators: shape.nodes * shape.processesPerNode,
      elapsed_s: received_at - run.created_at,
      interruptions: run.attempt - 1,
      pause_s: saved.pause_s,
      write_s: saved.write_s,
    })
  )
}

/** An attempt that was given up must stop; late reports of a finished run are only recorded. */
function stopOf({ state, desired }: Pick<Run, 'state' | 'desired'>): ReportResponse['stop'] {
  if (isTerminal(state)) return state === 'succeeded' ? null : 'fenced'
  return desired === 'cancel' ? 'preempt' : null
}
