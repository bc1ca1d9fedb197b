// The tables of docs/validation/serving.md, from the same function as `ironlaw validate serving`; the sentences around them are written by
// hand. A table stands between `<!-- table: name -->` and `<!-- end -->`. Those that need third-party files stay as they are where no folder
// with the files is given: `npm run generate:serving -- --data <folder>`.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { builtInCatalog } from '@ironlaw/catalog'
import {
  type AbsentSet,
  rowSummaryOf,
  type ScoredCase,
  type ServingSet,
  type ServingValidation,
  type Summary,
  summaryOf,
  validateServing,
} from '@ironlaw/planner/serving-validation'
import { showPercent } from '@ironlaw/units'
import { type SimulatedRow, simulatedRows } from '../../packages/apps/cli/src/validate/simulated-runs.ts'
import { type GeneratedFile, markdownTable } from './generated.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const SERVING_PAGE = 'docs/validation/serving.md'

export function servingTables(folder?: string): GeneratedFile[] {
  const read = (file: string): string | undefined => {
    const path = folder === undefined ? '' : join(folder, file)
    return existsSync(path) ? gunzipSync(readFileSync(path)).toString() : undefined
  }
  const [inferencex, splitwise] = ['inferencex-silicon-points.csv.gz', 'splitwise-perf-model.csv.gz'].map(read)
  const given = { ...(inferencex !== undefined && { inferencex }), ...(splitwise !== undefined && { splitwise }) }
  const tables = tablesOf(validateServing(builtInCatalog, given))
  return [{ path: SERVING_PAGE, content: filledPage(readFileSync(join(ROOT, SERVING_PAGE), 'utf8'), tables) }]
}

const MARKED = /(<!-- table: ([\w-]+) -->\n)[^]*?(\n?<!-- end -->)/g

/** The page with these tables in their places; others stay. */
export const filledPage = (page: string, tables: ReadonlyMap<string, string>): string =>
  page.replaceAll(MARKED, (whole: string, start: string, name: string) => {
    const table = tables.get(name)
    return table === undefined ? whole : `${start}\n${table}\n\n<!-- end -->`
  })

const isPresentSet = (set: ServingSet | AbsentSet): set is ServingSet => !('absent' in set)

function tablesOf({ sets, kernels }: ServingValidation): ReadonlyMap<string, string> {
  const { published, inferencex } = sets
  const simulated = simulatedRows(builtInCatalog)
  const tables = new Map([
    ['kernels', kernelTable(kernels)],
    ['worst-published', worstTable(published)],
    ['simulated', simulatedTable(simulated)],
  ])
  for (const [name, set] of Object.entries(sets))
    if (isPresentSet(set)) {
      tables.set(`errors-${name}`, errorTable(set))
      tables.set(`refused-${name}`, refusedTable(set))
    }
  if (isPresentSet(inferencex)) {
    tables.set('goals', goalTable({ published, simulated, inferencex, kernels }))
    tables.set('parts', partTables(inferencex, 'tpot_s'))
    tables.set('parts-first', partTables(inferencex, 'ttft_s'))
    tables.set('worst-inferencex', worstTable(inferencex, 'tpot_s'))
  }
  return tables
}

const cells = ({ n, median, p90, bias }: Summary): string[] => [String(n), showPercent(median), showPercent(p90), showPercent(bias)]

const FIGURES: Readonly<Record<string, string>> = {
  ttft_s: 'time to first token',
  tpot_s: 'time per token',
  output_tokens_per_s: 'output tokens/s',
  input_tokens_per_s: 'prompt tokens/s',
}

function errorTable({ calibration, heldOut, heldOutAll }: ServingSet): string {
  const line = (rows: string, figure: string, summary: Summary): string[] => [
    rows,
    figure,
    ...cells(summary),
    showPercent(summary.coverage),
  ]
  return markdownTable(
    ['rows', 'figure', 'n', 'median', 'p90', 'bias', 'in 90 % interval'],
    [
      ...Object.entries(calibration).map(([metric, summary]) => line('calibration', FIGURES[metric] ?? metric, summary)),
      ...Object.entries(heldOut).map(([metric, summary]) => line('held out', FIGURES[metric] ?? metric, summary)),
      ...(heldOutAll ? [line('held out', 'all of these', heldOutAll)] : []),
    ],
  )
}

const refusedTable = ({ refused, n }: ServingSet): string =>
  markdownTable(
    ['rows', 'reason'],
    refused.map((each) => [`${each.n} of ${n}`, each.reason]),
  )

type GoalSets = {
  readonly published: ServingSet
  readonly simulated: readonly SimulatedRow[]
  readonly inferencex: ServingSet
  readonly kernels: ServingValidation['kernels']
}

const isHeldOut = ({ split }: { readonly split: ScoredCase['split'] }): boolean => split === 'heldout'

const simulatedTable = (rows: readonly SimulatedRow[]): string =>
  markdownTable(
    ['row', 'run', 'rows', 'figure', 'measured', 'predicted', 'error'],
    rows.flatMap((row) =>
      row.figures.map(({ figure, measured, predicted, error }) => [
        row.id,
        row.run,
        isHeldOut(row) ? 'held out' : row.split,
        figure,
        measured.toPrecision(3),
        predicted.toPrecision(3),
        showPercent(error),
      ]),
    ),
  )

function goalTable({ published, simulated, inferencex, kernels }: GoalSets): string {
  const all = rowSummaryOf([
    ...published.rows.filter(isHeldOut).map(({ scores }) => scores),
    ...simulated.filter(isHeldOut).map(({ figures }) => figures),
  ])
  const tails = rowSummaryOf(
    simulated
      .filter((row) => isHeldOut(row) && row.kind === 'poisson')
      .map(({ figures }) => figures.filter(({ figure }) => figure.endsWith('p99'))),
  )
  const first = inferencex.heldOut.ttft_s
  const tpot = inferencex.heldOut.tpot_s
  const met = (is: boolean | undefined): string => (is ? 'yes' : 'no')
  const above = kernels.curves.filter(({ median }) => median > 0.08).length
  return markdownTable(
    ['goal, held out', 'reached', 'met'],
    [
      [
        'kernels: median at most 8 %',
        `${showPercent(kernels.median)} (median of the curves' medians); ${above} of ${kernels.curves.length} curves lie above 8 %`,
        met(kernels.median <= 0.08),
      ],
      [
        'published end to end: median at most 10 %, p90 at most 30 %',
        all ? `${showPercent(all.median)}, ${showPercent(all.p90)} of ${all.n} rows, simulated ones included` : '',
        met(all && all.median <= 0.1 && all.p90 <= 0.3),
      ],
      ['InferenceX time per token: median at most 12 %', tpot ? showPercent(tpot.median) : '', met(tpot && tpot.median <= 0.12)],
      ['InferenceX time to first token: median at most 20 %', first ? showPercent(first.median) : '', met(first && first.median <= 0.2)],
      [
        '99th percentiles under random arrivals: within 20 %',
        tails ? `${showPercent(tails.median)} in the median of ${tails.n} rows` : '',
        met(tails && tails.median <= 0.2),
      ],
      ['InferenceX: fewer than 10 % refused', showPercent(inferencex.refusedShare), met(inferencex.refusedShare < 0.1)],
    ],
  )
}

function kernelTable({ curves }: ServingValidation['kernels']): string {
  const rows = [...Map.groupBy(curves, ({ kernel }) => kernel)].toSorted(([a], [b]) => a.localeCompare(b))
  return markdownTable(
    ['kernel', 'curves', 'median of medians', 'worst median'],
    rows.map(([kernel, those]) => {
      const sorted = those.toSorted((a, b) => a.median - b.median)
      const [middle, worst] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
      return [
        kernel,
        String(those.length),
        showPercent(middle?.median ?? Number.NaN),
        worst ? `${showPercent(worst.median)} (${worst.accelerator} ${worst.precision})` : '',
      ]
    }),
  )
}

const PARTS: Readonly<Record<string, (row: ScoredCase) => string>> = {
  engine: ({ engine }) => engine,
  accelerator: ({ accelerator }) => accelerator,
  model: ({ family }) => family,
  prompts: ({ load }) => (load.startsWith('decode') ? 'elsewhere' : 'on the same replicas'),
  attention: ({ attentionCopies }) => (attentionCopies ? 'copies, each with its own requests' : 'shared by all devices'),
  decoding: ({ speculative }) => (speculative ? 'speculative' : 'plain'),
}

const partTables = ({ rows }: ServingSet, of: 'ttft_s' | 'tpot_s'): string =>
  Object.entries(PARTS)
    .map(([name, partOf]) => {
      const parts = [
        ...Map.groupBy(
          rows.filter(({ split }) => split === 'heldout'),
          partOf,
        ),
      ].toSorted(([a], [b]) => a.localeCompare(b))
      return markdownTable(
        [name, 'n', 'median', 'p90', 'bias'],
        parts.flatMap(([part, those]) => {
          const summary = summaryOf(those.flatMap(({ scores }) => scores.filter(({ metric }) => metric === of)))
          return summary ? [[part, ...cells(summary)]] : []
        }),
      )
    })
    .join('\n\n')

const LONGEST_ID = 60
const WORST = 10

function worstTable({ rows }: ServingSet, only?: string): string {
  const worst = rows
    .filter(({ split }) => split === 'heldout')
    .flatMap((row) => row.scores.flatMap((score) => (only === undefined || score.metric === only ? [{ row, score }] : [])))
    .toSorted((a, b) => Math.abs(Math.log1p(b.score.error)) - Math.abs(Math.log1p(a.score.error)))
    .slice(0, WORST)
  return markdownTable(
    ['row', 'run', 'figure', 'measured', 'predicted', 'error'],
    worst.map(({ row, score }) => [
      row.id.slice(0, LONGEST_ID),
      [row.family, row.engine, row.accelerator, row.layout, row.precision, row.load].join(', '),
      FIGURES[score.metric] ?? score.metric,
      score.measured.toPrecision(3),
      score.predicted.toPrecision(3),
      showPercent(score.error),
    ]),
  )
}
