// Metrics with what they could have been on other items of the same kind. Shares of right answers use Wilson's interval, which holds where all or none
// are right; everything else leaves out one group of items after the other (jackknife), which serves any figure and keeps clusters together.

import type { EvaluationItem, TaskKind } from '@ironlaw/contracts/evaluation-items'
import { normalQuantile } from '@ironlaw/laws/normal'
import { studentQuantile } from '@ironlaw/laws/student'
import type { Metrics } from './metrics.ts'
import { predictionMetrics } from './prediction-metrics.ts'
import type { ItemScore } from './score-item.ts'
import { taskMetrics } from './task-metrics.ts'

export type MetricInterval = { readonly value: number; readonly low: number; readonly high: number }

export type ClusteredScore = ItemScore & { readonly cluster?: string }

/** 5 % on either side. */
const TAIL = 0.05
/** More groups make the interval no better. */
const GROUPS = 50

export function metricIntervals(
  kind: Exclude<TaskKind, 'prediction'>,
  scores: readonly ClusteredScore[],
): Readonly<Record<string, MetricInterval>> {
  const without = leaveOneOut(scores, (some) => taskMetrics(kind, some))
  return Object.fromEntries(
    Object.entries(taskMetrics(kind, scores)).map(([metric, value]) => {
      const own = scores.map(({ values }) => values[metric])
      const isShare = scores.every(({ cluster }, index) => cluster === undefined && (own[index] === 0 || own[index] === 1))
      return [
        metric,
        isShare
          ? wilson(value, scores.length)
          : jackknife(
              value,
              without.map((each) => each[metric] ?? value),
            ),
      ]
    }),
  )
}

/** Metrics of predictions are made from the items themselves. */
export function predictionIntervals(items: readonly EvaluationItem<'prediction'>[]): Readonly<Record<string, MetricInterval>> {
  const without = leaveOneOut(items, predictionMetrics)
  return Object.fromEntries(
    Object.entries(predictionMetrics(items)).map(([metric, value]) => {
      const { low, high } = jackknife(
        value,
        without.map((each) => each[metric] ?? value),
      )
      const { least, most } = rangeOf(metric)
      return [metric, { value, low: Math.max(least, low), high: Math.min(most, high) }]
    }),
  )
}

const ERRORS = /^(?:mae|rmse|log_loss|pinball.*)$/

/** What a figure can be at all: most are shares. */
function rangeOf(metric: string): { readonly least: number; readonly most: number } {
  if (ERRORS.test(metric)) return { least: 0, most: Infinity }
  return metric === 'r2' ? { least: -Infinity, most: 1 } : { least: 0, most: 1 }
}

export function meanScore(scores: readonly ClusteredScore[]): MetricInterval {
  if (scores.length === 0) return { value: 0, low: 0, high: 1 }
  const mean = (some: readonly ItemScore[]): number => some.reduce((sum, { score }) => sum + score, 0) / some.length
  const value = mean(scores)
  if (scores.every(({ score, cluster }) => cluster === undefined && (score === 0 || score === 1))) return wilson(value, scores.length)
  const { low, high } = jackknife(
    value,
    leaveOneOut(scores, (some) => ({ value: mean(some) })).map((each) => each.value),
  )
  return { value, low: Math.max(0, low), high: Math.min(1, high) }
}

function wilson(share: number, items: number): MetricInterval {
  const z = normalQuantile(1 - TAIL)
  const middle = (share + (z * z) / (2 * items)) / (1 + (z * z) / items)
  const reach = (z / (1 + (z * z) / items)) * Math.sqrt((share * (1 - share)) / items + (z * z) / (4 * items * items))
  return { value: share, low: Math.max(0, middle - reach), high: Math.min(1, middle + reach) }
}

/** The figure without each group; none where there are fewer than two groups. */
function leaveOneOut<Part extends { readonly cluster?: string }, Figures extends Metrics>(
  scores: readonly Part[],
  figures: (some: readonly Part[]) => Figures,
): readonly Figures[] {
  const units = [...Map.groupBy(scores.entries(), ([index, { cluster }]) => cluster ?? index).keys()]
  const groups = Math.min(GROUPS, units.length)
  if (groups < 2) return []
  const groupOf = new Map(units.map((unit, index) => [unit, index % groups]))
  return Array.from({ length: groups }, (_, group) =>
    figures(scores.filter(({ cluster }, index) => groupOf.get(cluster ?? index) !== group)),
  )
}

function jackknife(value: number, without: readonly number[]): MetricInterval {
  const groups = without.length
  if (groups < 2) return { value, low: value, high: value }
  const mean = without.reduce((sum, each) => sum + each, 0) / groups
  const variance = (without.reduce((sum, each) => sum + (each - mean) ** 2, 0) * (groups - 1)) / groups
  const reach = studentQuantile(1 - TAIL, groups - 1) * Math.sqrt(variance)
  return { value, low: value - reach, high: value + reach }
}
