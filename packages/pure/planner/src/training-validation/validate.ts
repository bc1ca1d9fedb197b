// How well the training planner predicts runs that others measured. Rows on which coefficients were fitted and rows that were held out
// are kept apart throughout; only the latter say how good the planner is.

import type { Catalog } from '@ironlaw/catalog'
import { memoryLimit } from '../machine/machine-for.ts'
import { DEFAULT_FIT_PROBABILITY, fitProbabilityOf } from '../training/memory/device-need.ts'
import { memoryAccount } from '../training/memory/memory.ts'
import { type Breakdowns, breakdownsOf } from './breakdown.ts'
import { type Case, caseOf, type PublishedRow, predictionInputs } from './case.ts'
import { publishedRows } from './row.ts'
import fits from './left-out-fits.generated.json' with { type: 'json' }
import { type IgnoredField, ignoredFields } from './ignored.ts'
import type { Promised } from './decisions.ts'
import { fitAll, type FittedCoefficient, type LeftOutFits, leftOutFits, type LeftOutReport, leftOutReport, recipesOf } from './left-out.ts'
import { isNvidia, outOfScope } from './scope.ts'
import { coverageOf, scoredRow, type ScoredRow, type Summary, summaryOf } from './score.ts'
import { vtrainCases, type VtrainFile } from './vtrain.ts'

export type { Case } from './case.ts'
export { vtrainCases } from './vtrain.ts'
export { type Breakdowns, BREAKDOWNS, type BreakdownKey, type BreakdownRow } from './breakdown.ts'
export type { DecisionSet, Promised } from './decisions.ts'
export type { Decisions, LeftOutReport, LeftOutRow, LeftOutSet } from './left-out.ts'
export type { ScoredRow, Summary } from './score.ts'
export { DECISION_HEAD, decisionCells, LEFT_OUT_HEAD, leftOutCells, promiseCells } from './score-tables.ts'

/** The texts of vTrain's two files, which are not shipped. */
export type ValidationData = { readonly vtrainSingle?: string; readonly vtrainMulti?: string }

export type SetReport = {
  readonly n: number
  readonly calibration?: Summary
  readonly heldOut?: Summary & {
    /** Share of measurements inside the 90 % interval. */
    readonly coverage: number
    /** Without rows that differ from a calibration row only in the number of microbatches, where there are such. */
    readonly withoutNear?: Summary
    /** Of sources that have no calibration row at all: other authors, clusters and mostly other software. */
    readonly unseen?: Summary & { readonly sources: readonly string[] }
  }
  /** Held-out rows that state it, by what they count. */
  readonly memory?: { readonly allocated?: Summary; readonly device?: Summary }
  /** Held-out rows. */
  readonly breakdowns: Breakdowns
  /** The ten held-out rows with the largest errors. */
  readonly worst: readonly ScoredRow[]
  readonly rows: readonly ScoredRow[]
}

export type AbsentSet = { readonly absent: string }

export type ExcludedRows = { readonly reason: string; readonly n: number; readonly ids: readonly string[] }

/** A published layout against the memory of its device, as the planner sees it. */
export type Fit = {
  readonly id: string
  readonly predicted_bytes: number
  readonly limit_bytes: number
  /** That it fits. */
  readonly probability: number
  /** It is more likely not to fit. */
  readonly refused: boolean
}

export type TrainingValidation = {
  readonly sets: {
    readonly published: SetReport
    /** TPU and AMD: silicon without kernel tables of its own. */
    readonly otherSilicon: SetReport
    readonly vtrainSingle: SetReport | AbsentSet
    readonly vtrainMulti: SetReport | AbsentSet
    readonly simumax: SetReport
    readonly selene: SetReport
  }
  /** Runs that the planner does not claim to predict. */
  readonly outOfScope: readonly ExcludedRows[]
  /** What sources state and no prediction uses. */
  readonly ignored: readonly IgnoredField[]
  /** Runs whose source leaves out what decides the answer. */
  readonly unusable: readonly ExcludedRows[]
  readonly fits: {
    /** Layouts that ran, and those among them that the planner would refuse for memory. */
    readonly ran: number
    readonly refused: readonly Fit[]
    /** Those that fit more likely than not, but with less than the probability that plans are made for. */
    readonly unsure: readonly Fit[]
    /** Layouts that ran out of memory: the planner should refuse them all. */
    readonly outOfMemory: readonly Fit[]
  }
}

/** Sources that are sets of their own: one machine, one software, one author. */
const OWN_SETS = { simumax: 'simumax', selene: 'korthikanti-2022' } as const

const isOwnSet = (source: string): boolean => Object.values<string>(OWN_SETS).includes(source)

export function validateTraining(catalog: Catalog, { vtrainSingle, vtrainMulti }: ValidationData = {}): TrainingValidation {
  const cases = publishedCases
  const reportFor = (chosen: readonly Case[]): SetReport => setReport(chosen.map((asked) => scoredRow(catalog, asked)))
  const fromFile = (file: VtrainFile, text: string | undefined): SetReport | AbsentSet =>
    text === undefined
      ? { absent: `ground_truth_${file}.csv of vTrain was not given; it is third-party data and not shipped` }
      : reportFor(vtrainCases(file, text))
  return {
    sets: {
      published: reportFor(cases.filter(({ source, choice }) => !isOwnSet(source) && isNvidia(catalog, choice.accelerator))),
      otherSilicon: reportFor(cases.filter(({ source, choice }) => !isOwnSet(source) && !isNvidia(catalog, choice.accelerator))),
      vtrainSingle: fromFile('single', vtrainSingle),
      vtrainMulti: fromFile('multi', vtrainMulti),
      simumax: reportFor(cases.filter(({ source }) => source === OWN_SETS.simumax)),
      selene: reportFor(cases.filter(({ source }) => source === OWN_SETS.selene)),
    },
    outOfScope: excludedByReason(usableRows.flatMap((row) => excludedRow(row.id, outOfScope(row)))),
    ignored: ignoredFields(),
    unusable: excludedByReason(publishedRows.flatMap((row) => (row.usable ? [] : excludedRow(row.id, row.why)))),
    fits: fitsOf(catalog),
  }
}

const usableRows: readonly PublishedRow[] = publishedRows.filter((row): row is PublishedRow => row.usable)

/** Every published run with a time that the planner can be asked for. */
export const publishedCases: readonly Case[] = usableRows.flatMap((row) =>
  row.measured.outcome === undefined && outOfScope(row) === undefined ? [caseOf(row, row.measured)] : [],
)

/** As `npm run generate` fitted them. */
const FITS: LeftOutFits = new Map(Object.entries(fits).map(([source, values]) => [source, new Map(Object.entries(values))]))

/** Each source predicted with coefficients fitted without it. */
export const validateLeftOut = (catalog: Catalog, { vtrainSingle, vtrainMulti }: ValidationData = {}): LeftOutReport =>
  leftOutReport(
    catalog,
    [
      ...publishedCases,
      ...(vtrainSingle === undefined ? [] : vtrainCases('single', vtrainSingle)),
      ...(vtrainMulti === undefined ? [] : vtrainCases('multi', vtrainMulti)),
    ],
    FITS,
  )

export const validateRecipes = (catalog: Catalog): Promised => recipesOf(catalog, publishedCases)

export const fittedWithoutSources = (catalog: Catalog): LeftOutFits => leftOutFits(catalog, publishedCases)

export const fittedCoefficients = (catalog: Catalog): readonly FittedCoefficient[] => fitAll(catalog, publishedCases)

const WORST = 10

function setReport(rows: readonly ScoredRow[]): SetReport {
  const fitted = rows.filter(({ split }) => split === 'calibration')
  const heldOut = rows.filter(({ split }) => split === 'heldOut')
  const calibration = timeSummary(fitted)
  const summary = timeSummary(heldOut)
  const memory = memoryReport(heldOut)
  return {
    n: rows.length,
    ...(calibration && { calibration }),
    ...(summary && { heldOut: { ...summary, coverage: coverageOf(heldOut), ...strictSummaries(fitted, heldOut) } }),
    ...(memory && { memory }),
    breakdowns: breakdownsOf(heldOut),
    worst: heldOut.toSorted((a, b) => Math.abs(b.error) - Math.abs(a.error)).slice(0, WORST),
    rows,
  }
}

type StrictSummaries = Pick<NonNullable<SetReport['heldOut']>, 'withoutNear' | 'unseen'>

/** Held-out rows that have less in common with calibration rows, where that leaves some out. */
function strictSummaries(fitted: readonly ScoredRow[], heldOut: readonly ScoredRow[]): StrictSummaries {
  const known = new Set(fitted.map(({ source }) => source))
  const far = heldOut.filter(({ near }) => near === undefined)
  const foreign = heldOut.filter(({ source }) => !known.has(source))
  const withoutNear = far.length < heldOut.length ? timeSummary(far) : undefined
  const unseen = foreign.length < heldOut.length ? timeSummary(foreign) : undefined
  return {
    ...(withoutNear && { withoutNear }),
    ...(unseen && { unseen: { ...unseen, sources: [...new Set(foreign.map(({ source }) => source))] } }),
  }
}

const timeSummary = (rows: readonly ScoredRow[]): Summary | undefined => summaryOf(rows.map(({ error }) => error))

function memoryReport(rows: readonly ScoredRow[]): SetReport['memory'] {
  const of = (wanted: 'allocated' | 'device'): Summary | undefined =>
    summaryOf(rows.flatMap(({ memory }) => (memory?.counted === wanted ? [memory.error] : [])))
  const allocated = of('allocated')
  const device = of('device')
  return allocated || device ? { ...(allocated && { allocated }), ...(device && { device }) } : undefined
}

type ExcludedRow = { readonly id: string; readonly reason: string }

const excludedRow = (id: string, reason: string | undefined): ExcludedRow[] => (reason === undefined ? [] : [{ id, reason }])

const excludedByReason = (rows: readonly ExcludedRow[]): ExcludedRows[] =>
  [...Map.groupBy(rows, ({ reason }) => reason)].map(([reason, members]) => ({
    reason,
    n: members.length,
    ids: members.map(({ id }) => id),
  }))

function fitsOf(catalog: Catalog): TrainingValidation['fits'] {
  const inScope = usableRows.filter((row) => outOfScope(row) === undefined)
  const of = (outcome: 'out-of-memory' | undefined): Fit[] =>
    inScope.filter(({ measured }) => measured.outcome === outcome).map((row) => fitOf(catalog, row))
  const ran = of(undefined)
  return {
    ran: ran.length,
    refused: ran.filter(({ refused }) => refused),
    unsure: ran.filter(({ refused, probability }) => !refused && probability < DEFAULT_FIT_PROBABILITY),
    outOfMemory: of('out-of-memory'),
  }
}

function fitOf(catalog: Catalog, row: PublishedRow): Fit {
  const { job, strategy, choice } = predictionInputs(row)
  const need = memoryAccount({ job, machine: choice }, strategy).worst.device
  const limit = row.hardware?.memory_bytes ?? memoryLimit(catalog, row.gpu)
  const probability = fitProbabilityOf(need, limit)
  return { id: row.id, predicted_bytes: need.likely, limit_bytes: limit, probability, refused: probability < 0.5 }
}
