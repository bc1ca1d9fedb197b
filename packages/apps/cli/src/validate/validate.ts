import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtInCatalog } from '@ironlaw/catalog'
import { IronlawError } from '@ironlaw/contracts'
import { chanceText, DEFAULT_FIT_PROBABILITY } from '@ironlaw/planner'
import {
  type AbsentSet,
  BREAKDOWNS,
  type BreakdownKey,
  type BreakdownRow,
  DECISION_HEAD,
  decisionCells,
  type Decisions,
  LEFT_OUT_HEAD,
  leftOutCells,
  type LeftOutReport,
  type ScoredRow,
  type SetReport,
  type Summary,
  type TrainingValidation,
  validateLeftOut,
  validateTraining,
  type ValidationData,
} from '@ironlaw/planner/validation'
import { bytes, seconds, show, showChange, showPercent } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { paint } from '../paint.ts'
import { table } from '../table.ts'

export type ValidateFlags = {
  /** A directory with measured data that is not shipped; IRONLAW_DATA if omitted. */
  readonly data?: string
  /** Every scored row in the JSON, not only the worst. */
  readonly rows?: true
}

export function validateTrainingAnswer(flags: ValidateFlags): CommandAnswer {
  const data = dataFrom(flags.data ?? process.env['IRONLAW_DATA'])
  const validation = validateTraining(builtInCatalog, data)
  const leftOut = validateLeftOut(builtInCatalog, data)
  const { rows: _, ...short } = leftOut
  return {
    json: flags.rows ? { leftOut, ...validation } : { leftOut: short, ...withoutRows(validation) },
    text: () => text(validation, leftOut),
  }
}

function dataFrom(folder: string | undefined): ValidationData {
  if (folder === undefined || folder === '') return {}
  const read = (file: string): string => {
    const path = join(folder, 'vtrain', file)
    if (!existsSync(path)) throw new IronlawError('IL_FILE', { path, reason: 'there is no such file' })
    return readFileSync(path, 'utf8')
  }
  return { vtrainSingle: read('ground_truth_single.csv'), vtrainMulti: read('ground_truth_multi.csv') }
}

/** More than a thousand rows would hide the answer. */
function withoutRows(validation: TrainingValidation): object {
  const sets = entriesOf(validation).map(([name, set]) => {
    if ('absent' in set) return [name, set]
    const { rows: _, ...rest } = set
    return [name, rest]
  })
  return { ...validation, sets: Object.fromEntries(sets) }
}

type SetName = keyof TrainingValidation['sets']

const TITLES: Readonly<Record<SetName, string>> = {
  published: 'published runs, NVIDIA',
  otherSilicon: 'published runs, TPU and AMD',
  vtrainSingle: 'vTrain, one node',
  vtrainMulti: 'vTrain, many nodes',
  simumax: 'SimuMax, 8 x B200',
  selene: 'Selene, 22B to 1T',
}

const entriesOf = ({ sets }: TrainingValidation) => Object.entries(sets) as [SetName, SetReport | AbsentSet][]

const percentCell = (share: number | undefined): string => (share === undefined ? '' : showPercent(share))
const changeCell = (share: number | undefined): string => (share === undefined ? '' : showChange(share))

function text(validation: TrainingValidation, leftOut: LeftOutReport): string {
  const given = entriesOf(validation).flatMap(([name, set]) => ('absent' in set ? [] : [{ name, set }]))
  const absent = entriesOf(validation).flatMap(([name, set]) => ('absent' in set ? [`${TITLES[name]}: ${set.absent}`] : []))
  return [
    paint('bold', 'Training: step time predicted against measured'),
    paint('dim', 'Each source is predicted with coefficients fitted on the calibration rows of the others; all of its rows count.'),
    '',
    leftOutTable(leftOut),
    '',
    paint('bold', 'The choice among layouts that were measured'),
    paint(
      'dim',
      'Regret: how much longer the picked layout takes than the fastest. Promise: predicted step of the best plan over the best measured.',
    ),
    '',
    decisionTable(leftOut.decisions),
    '',
    paint('bold', 'With the coefficients as shipped'),
    paint('dim', 'Fitted on calibration rows, judged by the others, some of which share cluster and software with them.'),
    '',
    setTable(given),
    ...absent.map((line) => paint('yellow', line)),
    ...memoryLines(given),
    ...strictLines(given),
    ...validation.outOfScope.map(({ n, reason, ids }) => paint('dim', `out of scope, not scored: ${n}, ${reason} (${ids.join(', ')})`)),
    ...validation.ignored.map(({ field, means, rows }) => paint('dim', `stated and not used: ${field} of ${rows} rows, ${means}`)),
    ...validation.unusable.map(({ n, reason }) => paint('dim', `unusable: ${n}, ${reason}`)),
    ...fitLines(validation),
    ...breakdownTables('each source left out', leftOut),
    '',
    worstTable('each source left out', leftOut),
    ...given.flatMap(({ name, set }) => [
      ...breakdownTables(`${TITLES[name]}, held out`, set),
      '',
      worstTable(`${TITLES[name]}, held out`, set),
    ]),
  ].join('\n')
}

const bold = (text: string): string => paint('bold', text)
const numbersAfterName = (head: readonly string[]): number[] => head.slice(1).map((_, index) => index + 1)

const leftOutTable = ({ total, sets }: LeftOutReport): string =>
  table(
    LEFT_OUT_HEAD,
    [total, ...sets].map((set) => leftOutCells(set, bold)),
    numbersAfterName(LEFT_OUT_HEAD),
  )

const decisionTable = ({ leftOut, shipped }: Decisions): string =>
  table(
    DECISION_HEAD,
    [
      ...leftOut.map((set) => ({ ...set, name: `${set.name}, source left out` })),
      ...shipped.map((set) => ({ ...set, name: `${set.name}, as shipped` })),
    ].map((set) => decisionCells(set, bold)),
    numbersAfterName(DECISION_HEAD),
  )

type NamedSet = { readonly name: SetName; readonly set: SetReport }

const setTable = (given: readonly NamedSet[]): string =>
  table(
    ['set', 'calibration', 'mean', 'held out', 'median', 'mean', 'p90', 'bias', 'in 90 % interval'],
    given.map(({ name, set: { calibration, heldOut } }) => [
      TITLES[name],
      String(calibration?.n ?? 0),
      percentCell(calibration?.mean),
      String(heldOut?.n ?? 0),
      percentCell(heldOut?.median),
      paint('bold', percentCell(heldOut?.mean)),
      percentCell(heldOut?.p90),
      changeCell(heldOut?.bias),
      percentCell(heldOut?.coverage),
    ]),
    [1, 2, 3, 4, 5, 6, 7, 8],
  )

function memoryLines(given: readonly NamedSet[]): string[] {
  const line = (name: SetName, what: string, { n, median, mean, bias }: Summary): string =>
    `memory of ${TITLES[name]}, ${what}: mean error ${percentCell(mean)}, median ${percentCell(median)}, bias ${changeCell(bias)} on ${n} held-out rows`
  return given.flatMap(({ name, set: { memory } }) => [
    ...(memory?.allocated ? [line(name, 'allocated', memory.allocated)] : []),
    ...(memory?.device ? [line(name, 'reserved or reported by the driver', memory.device)] : []),
  ])
}

const strictLines = (given: readonly NamedSet[]): string[] =>
  given.flatMap(({ name, set: { heldOut } }) => {
    const { withoutNear, unseen } = heldOut ?? {}
    const of = (what: string, { n, median, mean }: Summary): string =>
      `${TITLES[name]}, ${what}: mean error ${percentCell(mean)}, median ${percentCell(median)} on ${n} held-out rows`
    return [
      ...(withoutNear ? [of('without rows that differ from a calibration row only in the number of microbatches', withoutNear)] : []),
      ...(unseen ? [of(`sources without a calibration row (${unseen.sources.join(', ')})`, unseen)] : []),
    ]
  })

function fitLines({ fits: { ran, refused, unsure, outOfMemory } }: TrainingValidation): string[] {
  return [
    `memory limit: of ${ran} layouts that ran, ${refused.length} would be refused (${refused.map(({ id }) => id).join(', ')})`,
    `${unsure.length} more fit with less than ${chanceText(DEFAULT_FIT_PROBABILITY)}, which plans ask for (${unsure.map(({ id, probability }) => `${id} ${chanceText(probability)}`).join(', ')})`,
    ...outOfMemory.map((fit) => {
      const chance = `fits with ${chanceText(fit.probability)}`
      const offered = fit.probability >= DEFAULT_FIT_PROBABILITY
      const verdict = offered ? paint('yellow', `${chance}, offered wrongly`) : `${chance}, not offered, rightly`
      return `ran out of memory: ${fit.id}, predicted ${show(bytes(fit.predicted_bytes), 'B')} of ${show(bytes(fit.limit_bytes), 'B')}: ${verdict}`
    }),
  ]
}

const HEADS: Readonly<Record<BreakdownKey, string>> = {
  source: 'source',
  accelerator: 'accelerator',
  family: 'model family',
  scale: 'devices',
  layout: 'layout',
  parallelism: 'parallelism',
}

const breakdownTables = (title: string, { breakdowns }: Pick<SetReport, 'breakdowns'>): string[] =>
  BREAKDOWNS.flatMap((by) => {
    // A single group would repeat the line of the set.
    if (breakdowns[by].length <= 1) return []
    const head = [`${title}, by ${HEADS[by]}`, 'rows', 'median', 'mean', 'p90', 'bias', 'log median']
    return ['', table(head, breakdowns[by].map(partCells), [1, 2, 3, 4, 5, 6])]
  })

const partCells = ({ key, n, median, mean, p90, bias, log }: BreakdownRow): string[] => [
  key,
  String(n),
  percentCell(median),
  percentCell(mean),
  percentCell(p90),
  changeCell(bias),
  percentCell(log.median),
]

const worstTable = (title: string, { worst }: Pick<SetReport, 'worst'>): string =>
  table(
    [`${title}, largest errors`, 'measured', 'predicted', 'error', 'what dominates the prediction', 'beyond the model'],
    worst.map((row) => [
      row.id,
      show(seconds(row.measured_s), 's'),
      show(seconds(row.predicted_s), 's'),
      changeCell(row.error),
      dominantCause(row),
      row.beyond.join('; '),
    ]),
    [1, 2, 3],
  )

const dominantCause = ({ causes }: ScoredRow): string =>
  causes
    .slice(0, 3)
    .map(({ cause, share }) => `${cause} ${percentCell(share)}`)
    .join(', ')
