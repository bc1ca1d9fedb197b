// What a run that made a dataset measured, from the profile that it registered, beside what its plan predicted.

import type { RunView } from '@ironlaw/contracts/api'
import { DATA_PLAN, DATA_RUN_FIGURES, type DataPlan, type DataRunFigures } from '@ironlaw/contracts/data-plan'
import { type ScoredFigure, scoredRun } from '@ironlaw/planner'
import { dollars, show, showPercent } from '@ironlaw/units'
import { api, find } from '../api/api-client.ts'
import { sizeText } from '../artifact/artifacts.ts'
import type { Context } from '../context/context.ts'
import { DATA_FIGURES_FACT } from '../data/data-run.ts'
import { showDuration } from '../run/run-text.ts'
import { table } from '../table.ts'

export type DataLedger = {
  readonly figures: DataRunFigures
  /** Against the plan, where the run follows one. */
  readonly scored?: readonly ScoredFigure[]
}

export async function dataLedger(to: Context, run: RunView): Promise<DataLedger | undefined> {
  const figures = await dataRunFigures(to, run)
  const plan = figures && (await dataPlanOf(to, run))
  return figures && { figures, ...(plan && { scored: scoredRun(plan, figures) }) }
}

/** Undefined for a run that follows no plan of a data spec. */
export async function dataPlanOf(to: Context, { kind, plan }: RunView): Promise<DataPlan | undefined> {
  return kind === 'Data' ? DATA_PLAN.safeParse((await api(to).getPlan({ id: plan })).body).data : undefined
}

/** Undefined for a run that made no dataset, or has not yet. */
export async function dataRunFigures(to: Context, { id, kind, project }: RunView): Promise<DataRunFigures | undefined> {
  if (kind === undefined) return undefined
  const trace = await find(api(to).traceArtifact({ project, artifact: id, query: { direction: 'down' } }))
  const made = new Set(trace?.edges.filter((edge) => edge.run === id && edge.how === 'made').map(({ artifact }) => artifact))
  for (const profile of trace?.artifacts.filter((each) => each.type === 'profile' && made.has(each.id)) ?? []) {
    const { facts } = await api(to).getArtifact({ project, artifact: profile.id })
    const { data } = DATA_RUN_FIGURES.safeParse(facts[DATA_FIGURES_FACT])
    if (data) return data
  }
  return undefined
}

export const dataLedgerText = ({ figures, scored }: DataLedger): string =>
  [dataFiguresText(figures), ...(scored ? [scoredText(scored)] : [])].join('\n\n')

function scoredText(scored: readonly ScoredFigure[]): string {
  const rows = scored.map(({ figure, unit, predicted, low, high, measured, inside }) => {
    const text = shownAs[unit]
    return [figure, text(predicted), `${text(low)} to ${text(high)}`, text(measured), inside ? '' : 'outside']
  })
  return table(['FIGURE', 'PREDICTED', '90 %', 'MEASURED', ''], rows, [1, 2, 3])
}

const grouped = (count: number): string => Math.round(count).toLocaleString('en')

const shownAs: Readonly<Record<ScoredFigure['unit'], (value: number) => string>> = {
  documents: grouped,
  tokens: grouped,
  B: sizeText,
  s: showDuration,
  USD: (value) => show(dollars(value), 'USD'),
}

function dataFiguresText({ left, duration_s, causes_s, work, worker_bytes, disk_bytes }: DataRunFigures): string {
  const rates = new Map(work.map(({ step, bytes, time_s }) => [step, time_s > 0 ? `${sizeText(bytes / time_s)}/s` : '']))
  const hasTokens = left.some(({ tokens }) => tokens !== undefined)
  const steps = left.map(({ step, documents, bytes, tokens }) => [
    step,
    grouped(documents),
    sizeText(bytes),
    ...(hasTokens ? [tokens === undefined ? '' : grouped(tokens)] : []),
    rates.get(step) ?? '',
  ])
  const causes = Object.entries(causes_s)
    .toSorted(([, a], [, b]) => b - a)
    .map(([cause, time_s]) => [cause, showDuration(time_s), showPercent(duration_s > 0 ? time_s / duration_s : 0)])
  return [
    table(['LEFT AFTER', 'DOCUMENTS', 'TEXT', ...(hasTokens ? ['TOKENS'] : []), 'A WORKER'], steps, [1, 2, 3, 4]),
    '',
    table(['TIME OF WORKERS', 'MEASURED', 'SHARE'], causes, [1, 2]),
    '',
    `${showDuration(duration_s)} in all, ${sizeText(worker_bytes)} of memory in the largest worker, ${sizeText(disk_bytes)} of intermediate files`,
  ].join('\n')
}
