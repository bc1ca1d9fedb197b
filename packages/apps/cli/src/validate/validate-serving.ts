import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { builtInCatalog } from '@ironlaw/catalog'
import { IronlawError } from '@ironlaw/contracts'
import {
  rowSummaryOf,
  type ServingData,
  type ServingSet,
  type ServingValidation,
  type Summary,
  summaryOf,
  validateServing,
} from '@ironlaw/planner/serving-validation'
import { showPercent } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { table } from '../table.ts'
import { type SimulatedRow, simulatedRows } from './simulated-runs.ts'
import type { ValidateFlags } from './validate.ts'

export function validateServingAnswer(flags: ValidateFlags): CommandAnswer {
  const validation = validateServing(builtInCatalog, dataFrom(flags.data ?? process.env['IRONLAW_DATA']))
  const simulated = simulatedRows(builtInCatalog)
  return {
    json: { ...(flags.rows ? validation : withoutRows(validation)), simulated },
    text: () => [text(validation), simulatedText(simulated, validation)].join('\n\n'),
  }
}

function simulatedText(rows: readonly SimulatedRow[], { sets: { published } }: ServingValidation): string {
  const heldOut = [
    ...published.rows.filter(({ split }) => split === 'heldout').map(({ scores }) => scores),
    ...rows.filter(({ split }) => split === 'heldout').map(({ figures }) => figures),
  ]
  const all = rowSummaryOf(heldOut)
  return [
    'published runs that no steady state describes, simulated',
    table(
      ['run', 'rows', 'figure', 'measured', 'predicted', 'error'],
      rows.flatMap(({ id, split, run, figures }) =>
        figures.map(({ figure, measured, predicted, error }) => [
          `${id} ${run}`,
          split === 'heldout' ? 'held out' : split,
          figure,
          measured.toPrecision(3),
          predicted.toPrecision(3),
          showPercent(error),
        ]),
      ),
      [3, 4, 5],
    ),
    ...(all
      ? [
          `published, held out, simulated ones included, a row counted once: ${all.n} rows, median ${showPercent(all.median)}, p90 ${showPercent(all.p90)}`,
        ]
      : []),
  ].join('\n')
}

function dataFrom(folder: string | undefined): ServingData {
  if (folder === undefined || folder === '') return {}
  const read = (file: string): string => {
    const path = join(folder, file)
    if (!existsSync(path)) throw new IronlawError('IL_FILE', { path, reason: 'there is no such file' })
    return gunzipSync(readFileSync(path)).toString('utf8')
  }
  return { inferencex: read('inferencex-silicon-points.csv.gz'), splitwise: read('splitwise-perf-model.csv.gz') }
}

const entriesOf = ({ sets }: ServingValidation) => Object.entries(sets)

/** Thousands of rows would hide the answer. */
function withoutRows(validation: ServingValidation): object {
  const sets = entriesOf(validation).map(([name, set]) => {
    if ('absent' in set) return [name, set]
    const { rows: _, ...rest } = set
    return [name, rest]
  })
  return { ...validation, sets: Object.fromEntries(sets) }
}

function text(validation: ServingValidation): string {
  const parts = entriesOf(validation).flatMap(([name, set]) => ('absent' in set ? [`${name}: ${set.absent}`] : [setText(name, set)]))
  const { kernels } = validation
  return [...parts, `kernels: median of ${kernels.curves.length} curves' held-out median errors ${showPercent(kernels.median)}`].join(
    '\n\n',
  )
}

function setText(name: string, set: ServingSet): string {
  const rows = (['calibration', 'heldOut'] as const).flatMap((split) =>
    Object.entries(set[split]).map(([metric, summary]) => [split === 'heldOut' ? 'held out' : split, metric, ...cells(summary)]),
  )
  return [
    `${name}: ${set.n} rows, ${showPercent(set.refusedShare)} refused`,
    ...set.refused.map(({ reason, n }) => `  ${n}: ${reason}`),
    table(['rows', 'figure', 'n', 'median', 'p90', 'bias', 'in 90 % interval'], rows, [2, 3, 4, 5, 6]),
    ...copiesLine(set),
    table(
      ['largest errors held out', 'figure', 'measured', 'predicted', 'error', 'run'],
      set.worst.map(({ id, metric, measured, predicted, error, engine, accelerator, layout, precision, load, family }) => [
        id.length > 48 ? `${id.slice(0, 45)}...` : id,
        metric,
        measured.toPrecision(3),
        predicted.toPrecision(3),
        showPercent(error),
        [family, engine, accelerator, layout, precision, load].join(', '),
      ]),
      [2, 3, 4],
    ),
  ].join('\n')
}

/** First tokens where one prompt runs on one copy of the attention, and where all devices share it. */
function copiesLine({ rows }: ServingSet): string[] {
  const of = (copies: boolean): Summary | undefined =>
    summaryOf(
      rows
        .filter(({ split, attentionCopies }) => split === 'heldout' && attentionCopies === copies)
        .flatMap(({ scores }) => scores.filter(({ metric }) => metric === 'ttft_s')),
    )
  const [shared, copied] = [of(false), of(true)]
  const part = ({ n, median, bias }: Summary): string => `median ${showPercent(median)}, bias ${showPercent(bias)} (${n})`
  return shared && copied ? [`ttft_s held out by layout: copies of the attention ${part(copied)}, none ${part(shared)}`] : []
}

const cells = ({ n, median, p90, bias, coverage }: Summary): string[] => [
  String(n),
  showPercent(median),
  showPercent(p90),
  showPercent(bias),
  showPercent(coverage),
]
