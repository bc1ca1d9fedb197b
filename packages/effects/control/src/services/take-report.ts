// A report of an agent: kept once, answered with how often to save and whether to stop.

import { IronlawError, isTerminal } from '@ironlaw/contracts'
import type { Report, ReportAnswer } from '@ironlaw/contracts/report'
import { type Database, recordReport, type Run, runOf } from '@ironlaw/store'
import { checkpointInterval } from './checkpoint-interval.ts'
import { specOfRun } from './run-view.ts'

type Reporting = {
  readonly database: Database
  readonly run_id: string
  readonly attempt: number
  readonly now: number
  /** Something happened that the reconciler should look at without waiting for its turn. */
  readonly onWake: () => void
}

export async function takeReport({ database, run_id, attempt, now, onWake }: Reporting, report: Report): Promise<ReportAnswer> {
  const recorded = await recordReport(database, { run_id, attempt, received_at: now, report })
  if (recorded === 'fenced') throw new IronlawError('IL_FENCED', { run: run_id, attempt })
  const run = recorded === 'unknown' ? undefined : await runOf(database, run_id)
  if (!run) throw new IronlawError('IL_NOT_FOUND', { kind: 'attempt', id: `${run_id}.${attempt}` })
  if (report.exits.length > 0 || report.notes.some(({ kind }) => kind === 'completed')) onWake()
  return { checkpoint_every_s: interval(run, report, now), stop: stopOf(run) }
}

/** Null leaves it as it is: only a checkpoint that was just measured gives reason to change. */
function interval(run: Run, report: Report, now: number): number | null {
  const saved = report.checkpoints.findLast(({ state }) => state === 'committed')
  if (!saved) return null
  const { shape } = specOfRun(run)
  return (
    shape.checkpointEvery_s ??
    checkpointInterval({
      accelerators: shape.nodes * shape.processesPerNode,
      elapsed_s: now - run.created_at,
      interruptions: run.attempt - 1,
      pause_s: saved.pause_s,
      write_s: saved.write_s,
    })
  )
}

/** What was given up must not go on; late reports of a run that finished are only news. */
function stopOf({ state, desired }: Run): ReportAnswer['stop'] {
  if (isTerminal(state)) return state === 'succeeded' ? null : 'fenced'
  return desired === 'cancel' ? 'preempt' : null
}
