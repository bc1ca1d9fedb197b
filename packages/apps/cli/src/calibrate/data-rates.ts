// Rates of data steps that finished runs and builds showed: what is learned from, what it says, and how far it was off on runs that were left out.

import { canonicalJson, IronlawError, isTerminal, sha256 } from '@ironlaw/contracts'
import type { RunView } from '@ironlaw/contracts/api'
import { DATA_PLAN, DATA_RUN_FIGURES, type DataPlan, type DataRunFigures } from '@ironlaw/contracts/data-plan'
import { type FinishedDataRun, finishedWork, heldOutErrors, type HeldOutErrors, type LearnedRates, learnedRates } from '@ironlaw/planner'
import { counted, quantity, show, showPercent } from '@ironlaw/units'
import * as z from 'zod'
import type { Context } from '../context/context.ts'
import { readDocument } from '../input-file.ts'
import { dataPlanOf, dataRunFigures } from '../ledger/data-ledger.ts'
import { paint } from '../paint.ts'
import { table } from '../table.ts'
import { currentVersion, type MeasuredDocument } from './measured-file.ts'

/** Of the calibration in force. */
export const dataRates = (machine: string): LearnedRates => learnedRates(currentVersion()?.document.data ?? [], machine)

/** Undefined for a run that made no dataset; a reason where nothing can be learned. */
export async function dataRunEvidence(to: Context, run: RunView): Promise<FinishedDataRun | string | undefined> {
  if (!isTerminal(run.state)) return undefined
  const figures = await dataRunFigures(to, run)
  return figures && evidenceOf(run.id, figures, await dataPlanOf(to, run))
}

const BUILT = z.object({ measured: DATA_RUN_FIGURES })

/** What "ironlaw data build --json" printed, with the plan of the same spec where there is one. */
export function buildEvidence(path: string, planPath: string | undefined): FinishedDataRun | string {
  const { data: built } = BUILT.safeParse(readDocument(path))
  if (!built)
    throw new IronlawError(
      'IL_DOCUMENT',
      { path, reason: 'it has no figures of a dataset that was built' },
      { next: 'write it with "ironlaw data build SPEC --json"' },
    )
  // Named by content: the same build counts once, under whatever name its file is kept.
  const name = `build-${sha256(canonicalJson(built.measured)).slice(0, 12)}`
  return evidenceOf(name, built.measured, planPath === undefined ? undefined : readDataPlan(planPath))
}

function readDataPlan(path: string): DataPlan {
  const { data: plan } = DATA_PLAN.safeParse(readDocument(path))
  if (plan) return plan
  const next = 'write it with "ironlaw data plan SPEC --json"'
  throw new IronlawError('IL_DOCUMENT', { path, reason: 'it is not a plan of a data spec' }, { next })
}

function evidenceOf(run: string, figures: DataRunFigures, plan: DataPlan | undefined): FinishedDataRun | string {
  if (figures.machine === undefined) return 'its workers ran on several kinds of machine, so its rates are of none of them'
  return { run, machine: figures.machine, work: finishedWork(figures, plan) }
}

export type DataCalibration = {
  readonly machines: readonly { readonly machine: string; readonly runs: number; readonly rates: LearnedRates }[]
  readonly heldOut?: HeldOutErrors
}

/** What the data runs of a calibration say; undefined where it has none. */
export function dataCalibration({ data = [] }: MeasuredDocument): DataCalibration | undefined {
  if (data.length === 0) return undefined
  const heldOut = heldOutErrors(data)
  const machines = [...Map.groupBy(data, ({ machine }) => machine)].map(([machine, runs]) => ({
    machine,
    runs: runs.length,
    rates: learnedRates(data, machine),
  }))
  return { machines, ...(heldOut && { heldOut }) }
}

export function dataCalibrationText({ machines, heldOut }: DataCalibration): string {
  const tables = machines.map(({ machine, runs, rates }) => {
    const rows = Object.entries(rates).map(([does, rate]) => [
      does,
      show(quantity(1 / rate.s_per_byte, 'B/s'), 'B/s'),
      `±${showPercent(rate.spread, 0)}`,
      String(rate.runs),
    ])
    return `${paint('bold', machine)}, ${counted(runs, 'data run')}\n${table(['work of a thread', 'rate', 'spread', 'runs'], rows, [1, 2, 3])}`
  })
  return [...tables, heldOutText(heldOut)].join('\n\n')
}

function heldOutText(heldOut: HeldOutErrors | undefined): string {
  if (!heldOut) return 'one more run of the same steps shows how far these rates are off: each run is judged by what the others taught'
  const { figures, error, inside, planned } = heldOut
  return [
    `each run predicted from the others: median error ${showPercent(error)} of ${counted(figures, 'figure')}, ${showPercent(inside)} inside their 90 % interval`,
    ...(planned
      ? [
          `of ${counted(planned.figures, 'figure')} that plans had: ${showPercent(planned.before)} off as planned, ${showPercent(planned.after)} from the other runs`,
        ]
      : []),
  ].join('\n')
}
