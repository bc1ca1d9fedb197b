// How well the serving planner predicts what others measured. Calibration rows and held-out rows are kept apart throughout; only the latter
// say how good the planner is.

import type { Catalog } from '@ironlaw/catalog'
import { type CurveError, measuredCurves } from '../serving/curves.ts'
import type { PreparedReplica } from '../serving/prepared-replica.ts'
import type { RefusedCase, ServingCase, SimulatedCase } from './case.ts'
import { inferencexCases } from './inferencex.ts'
import { publishedCases } from './published.ts'
import { machinesOf, replicaPreparer } from './replica-of.ts'
import { type Metric, METRICS, type RowSummary, rowSummaryOf, type ScoredCase, scoredCase, type Summary, summaryOf } from './score.ts'
import { splitwiseCases } from './splitwise.ts'

export type { SimulatedCase } from './case.ts'
export { type Metric, type RowSummary, rowSummaryOf, type ScoredCase, type Summary, summaryOf } from './score.ts'

/** Texts of third-party files that are not shipped. */
export type ServingData = { readonly inferencex?: string; readonly splitwise?: string }

export type ExcludedCases = { readonly reason: string; readonly n: number }

export type ServingSet = {
  /** Rows of the source, scored and refused. */
  readonly n: number
  readonly refused: readonly ExcludedCases[]
  readonly refusedShare: number
  readonly calibration: Readonly<Partial<Record<Metric, Summary>>>
  readonly heldOut: Readonly<Partial<Record<Metric, Summary>>>
  /** Every held-out figure together, whatever it measures. */
  readonly heldOutAll?: Summary
  /** The same by rows: three figures of one row count once. */
  readonly heldOutRows?: RowSummary
  readonly worst: readonly WorstRow[]
  readonly rows: readonly ScoredCase[]
}

export type WorstRow = Omit<ScoredCase, 'scores'> & ScoredCase['scores'][number]

export type AbsentSet = { readonly absent: string }

export type KernelError = CurveError & { readonly accelerator: string; readonly kernel: string; readonly precision: string }

export type ServingValidation = {
  readonly sets: {
    readonly published: ServingSet
    readonly inferencex: ServingSet | AbsentSet
    readonly splitwise: ServingSet | AbsentSet
  }
  readonly kernels: {
    /** Median over the curves of their median held-out error. */
    readonly median: number
    readonly curves: readonly KernelError[]
  }
}

const absentSet = (file: string): AbsentSet => ({ absent: `${file} was not given; it is third-party data and not shipped` })

export function validateServing(catalog: Catalog, { inferencex, splitwise }: ServingData = {}): ServingValidation {
  const machines = machinesOf(catalog)
  const prepared = replicaPreparer()
  const report = (cases: readonly ServingCase[], refused: readonly RefusedCase[]): ServingSet => {
    const checked = cases.map((each) => ({ each, ready: prepared(each.family, each.replica) }))
    // Weights that do not fit say that the layout as stated is not what ran.
    const { true: fitting = [], false: beyond = [] } = Object.groupBy(checked, (each) => `${fitsDevices(each)}`)
    return setOf(
      fitting.map(({ each, ready }) => scoredCase(each, ready)),
      [...refused, ...beyond.map(({ each: { id } }) => ({ id, reason: 'the weights do not fit on the devices as stated' }))],
    )
  }
  const own = publishedCases(machines)
  const points = inferencex === undefined ? undefined : inferencexCases(machines, inferencex)
  const times = splitwise === undefined ? undefined : splitwiseCases(machines, splitwise)
  return {
    sets: {
      published: report(own.cases, own.refused),
      inferencex: points ? report(points.cases, points.refused) : absentSet('inferencex-silicon-points.csv.gz'),
      splitwise: times ? report(times.cases, times.refused) : absentSet('splitwise-perf-model.csv.gz'),
    },
    kernels: kernelErrors(),
  }
}

/** Published runs that take a simulation, with the replica that ran them. */
export const simulatedCases = (catalog: Catalog): readonly SimulatedCase[] => publishedCases(machinesOf(catalog)).simulated

/** Decoding alone asks nothing of the cache, whose share of memory recipes raise where weights nearly fill it. */
const fitsDevices = ({
  each: { load, replica },
  ready: { memory },
}: {
  readonly each: ServingCase
  readonly ready: PreparedReplica
}): boolean => (load.kind === 'decode' ? memory.weights_bytes < replica.machine.memory_bytes : memory.cache_bytes > 0)

const WORST = 10

function setOf(rows: readonly ScoredCase[], refused: readonly RefusedCase[]): ServingSet {
  const heldOut = rows.filter(({ split }) => split === 'heldout')
  const all = summaryOf(heldOut.flatMap(({ scores }) => scores))
  const byRow = rowSummaryOf(heldOut.map(({ scores }) => scores))
  const n = rows.length + refused.length
  return {
    n,
    refused: [...Map.groupBy(refused, ({ reason }) => reason)].map(([reason, those]) => ({ reason, n: those.length })),
    refusedShare: refused.length / n,
    calibration: byMetric(rows.filter(({ split }) => split === 'calibration')),
    heldOut: byMetric(heldOut),
    ...(all && { heldOutAll: all }),
    ...(byRow && { heldOutRows: byRow }),
    worst: heldOut
      .flatMap(({ scores, ...about }) => scores.map((score) => ({ ...about, ...score })))
      .toSorted((a, b) => Math.abs(Math.log1p(b.error)) - Math.abs(Math.log1p(a.error)))
      .slice(0, WORST),
    rows,
  }
}

function byMetric(rows: readonly ScoredCase[]): Partial<Record<Metric, Summary>> {
  const found: Partial<Record<Metric, Summary>> = {}
  for (const metric of METRICS) {
    const summary = summaryOf(rows.flatMap(({ scores }) => scores.filter((score) => score.metric === metric)))
    if (summary) found[metric] = summary
  }
  return found
}

function kernelErrors(): ServingValidation['kernels'] {
  const curves = [...measuredCurves].flatMap(([accelerator, own]) =>
    Object.entries(own).flatMap(([kernel, byPrecision]) =>
      Object.entries(byPrecision).map(([precision, { error }]) => ({ accelerator, kernel, precision, ...error })),
    ),
  )
  const medians = curves.map(({ median }) => median).toSorted((a, b) => a - b)
  return { median: medians[Math.floor(medians.length / 2)] ?? Number.NaN, curves }
}
