// The strictest score: each source is predicted with coefficients fitted on the calibration rows of all others, and all of its rows count. A
// user's cluster is such a source: nobody has fitted anything on it.

import type { Catalog } from '@ironlaw/catalog'
import { type Breakdowns, breakdownsOf } from './breakdown.ts'
import type { Case } from './case.ts'
import { constantUtilization } from './constant-utilization.ts'
import { type DecisionSet, decisionSets, type Prediction, type Promised, promisedRecipes } from './decisions.ts'
import { type Coefficients, fitCoefficients, type FittedRun, refittedMachine, shippedValue } from './fit.ts'
import { stepTime } from '../training/time/step-time.ts'
import { isNvidia } from './scope.ts'
import { coverageOf, machineOf, scoredRow, type ScoredRow, type Summary, summaryOf } from './score.ts'

export type LeftOutRow = ScoredRow & { readonly constantUtilization_s: number }

export type LeftOutSet = {
  readonly name: string
  readonly sources: number
  readonly time: Summary
  /** Share of measurements inside the 90 % interval. */
  readonly coverage: number
  /** The same rows at a constant utilization, which the same other sources tell. */
  readonly constantUtilization: Summary
}

export type LeftOutReport = {
  /** Every row but those of vTrain, whose sheer number would drown the others; breakdowns and worst rows are of the same. */
  readonly total: LeftOutSet
  readonly sets: readonly LeftOutSet[]
  /** How good the choice among layouts is, where several were measured. */
  readonly decisions: Decisions
  readonly breakdowns: Breakdowns
  readonly worst: readonly LeftOutRow[]
  readonly rows: readonly LeftOutRow[]
}

/** One machine, one software, one author: many rows that say the same thing. */
const OWN_SETS: Readonly<Record<string, string>> = {
  simumax: 'SimuMax, 8 x B200',
  'korthikanti-2022': 'Selene, 22B to 1T',
  vtrain: 'vTrain',
}

/** vTrain's files are one cluster and one software. */
const sourceOf = ({ source }: Pick<Case, 'source'>): string => (source.startsWith('vtrain') ? 'vtrain' : source)

const setOf = (catalog: Catalog, row: LeftOutRow): string =>
  OWN_SETS[sourceOf(row)] ?? (isNvidia(catalog, row.accelerator) ? 'published runs, NVIDIA' : 'published runs, TPU and AMD')

const WORST = 10

export function leftOutReport(catalog: Catalog, cases: readonly Case[], fits: LeftOutFits): LeftOutReport {
  const predictions = leftOutPredictions(catalog, cases, fits)
  const rows = predictions.map(({ row }) => row)
  const published = rows.filter((row) => sourceOf(row) !== 'vtrain')
  return {
    // A thousand rows of one cluster would be the total.
    total: setReport('all rows but those of vTrain', published),
    sets: [...Map.groupBy(rows, (row) => setOf(catalog, row))].map(([name, members]) => setReport(name, members)),
    decisions: decisionsOf(catalog, predictions),
    breakdowns: breakdownsOf(published),
    worst: published.toSorted((a, b) => Math.abs(Math.log1p(b.error)) - Math.abs(Math.log1p(a.error))).slice(0, WORST),
    rows,
  }
}

const calibrationRuns = (catalog: Catalog, cases: readonly Case[]): readonly FittedRun[] =>
  cases
    .filter((asked) => asked.split === 'calibration' && sourceOf(asked) !== 'vtrain')
    .map((asked) => ({ ...asked, machine: machineOf(catalog, asked) }))

/** By source, the coefficients fitted without it; under `ALL` those of every calibration row, for sources that have none. */
export type LeftOutFits = ReadonlyMap<string, Coefficients>

const ALL = 'none'

/** Some seconds: a fit per source. */
export function leftOutFits(catalog: Catalog, cases: readonly Case[]): LeftOutFits {
  const runs = calibrationRuns(catalog, cases)
  const sources = new Set(runs.map(({ source }) => source))
  return new Map(
    [ALL, ...sources].map((source) => [
      source,
      fitCoefficients(
        runs.filter((run) => run.source !== source),
        source,
      ),
    ]),
  )
}

export type FittedCoefficient = { readonly name: string; readonly fitted: number; readonly shipped?: number }

/** The fit on the calibration rows of all sources, beside what is shipped. */
export const fitAll = (catalog: Catalog, cases: readonly Case[]): readonly FittedCoefficient[] =>
  [...fitCoefficients(calibrationRuns(catalog, cases))].map(([name, fitted]) => {
    const shipped = shippedValue(name)
    return { name, fitted, ...(shipped !== undefined && { shipped }) }
  })

export type Decisions = {
  readonly leftOut: readonly DecisionSet[]
  /** With the coefficients that plans are made with. */
  readonly shipped: readonly DecisionSet[]
}

const shippedPredictions = (catalog: Catalog, cases: readonly Case[]): readonly Prediction[] =>
  cases.map((asked) => {
    const machine = machineOf(catalog, asked)
    return { asked, machine, predicted_s: stepTime({ machine, job: asked.job }, asked.strategy).total }
  })

const decisionsOf = (catalog: Catalog, predictions: readonly LeftOutPrediction[]): Decisions => ({
  leftOut: decisionSets(catalog, predictions),
  shipped: decisionSets(
    catalog,
    shippedPredictions(
      catalog,
      predictions.map(({ asked }) => asked),
    ),
  ),
})

/** The best plan against tuned recipes with experts, with the coefficients as shipped: searches of several seconds. */
export const recipesOf = (catalog: Catalog, cases: readonly Case[]): Promised =>
  promisedRecipes(catalog, shippedPredictions(catalog, cases))

type LeftOutPrediction = Prediction & { readonly row: LeftOutRow }

function leftOutPredictions(catalog: Catalog, cases: readonly Case[], fits: LeftOutFits): readonly LeftOutPrediction[] {
  const runs = calibrationRuns(catalog, cases)
  return [...Map.groupBy(cases, sourceOf)].flatMap(([source, asked]) => {
    const others = runs.filter((run) => run.source !== source)
    const values = fits.get(source) ?? fits.get(ALL)
    if (!values) throw new Error(`no coefficients were fitted without ${source}`)
    const baseline = constantUtilization(catalog, others)
    return asked.map((one): LeftOutPrediction => {
      const machine = refittedMachine(machineOf(catalog, one), values, source)
      const row = { ...scoredRow(catalog, one, machine), constantUtilization_s: baseline(one) }
      return { asked: one, machine, predicted_s: row.predicted_s, row }
    })
  })
}

function setReport(name: string, rows: readonly LeftOutRow[]): LeftOutSet {
  const time = summaryOf(rows.map(({ error }) => error))
  const baseline = summaryOf(rows.map((row) => row.constantUtilization_s / row.measured_s - 1))
  if (!time || !baseline) throw new Error(`${name} has no rows`)
  return { name, sources: new Set(rows.map(sourceOf)).size, time, coverage: coverageOf(rows), constantUtilization: baseline }
}
