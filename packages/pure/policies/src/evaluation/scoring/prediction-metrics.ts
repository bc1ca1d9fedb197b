// Metrics of predictions that were made elsewhere: classes with or without probabilities, or quantities. Definitions are those of scikit-learn.

import type { EvaluationItem } from '@ironlaw/contracts/evaluation-items'
import { expectedCalibrationError } from './calibration-error.ts'
import type { Metrics } from './metrics.ts'

type Prediction = Pick<EvaluationItem<'prediction'>, 'label' | 'prediction' | 'probabilities'>

/** Labels that are numbers are quantities, all others classes. What cannot be said of the items is left out. */
export function predictionMetrics(items: readonly Prediction[]): Metrics {
  const quantities = items.flatMap(({ label, prediction }) =>
    typeof label === 'number' && typeof prediction === 'number' ? [{ truth: label, said: prediction }] : [],
  )
  if (items.length === 0) return {}
  if (quantities.length === items.length) return quantityMetrics(quantities)
  const classes = items.map(({ label, prediction, probabilities }) => ({
    truth: String(label),
    said: String(prediction ?? likeliestClass(probabilities ?? {})),
  }))
  const withChances = items.flatMap(({ label, probabilities }) => (probabilities ? [{ truth: String(label), probabilities }] : []))
  return { ...classMetrics(classes), ...(withChances.length === items.length && chanceMetrics(withChances)) }
}

/** The first by name of several that are equal. */
export function likeliestClass(probabilities: Readonly<Record<string, number>>): string {
  const [first] = Object.entries(probabilities).toSorted(([a, p], [b, q]) => q - p || (a < b ? -1 : 1))
  return first?.[0] ?? ''
}

type Pair<Value> = { readonly truth: Value; readonly said: Value }

function quantityMetrics(pairs: readonly Pair<number>[]): Metrics {
  const meanTruth = mean(pairs.map(({ truth }) => truth))
  const squared = mean(pairs.map(({ truth, said }) => (said - truth) ** 2))
  const spread = mean(pairs.map(({ truth }) => (truth - meanTruth) ** 2))
  return {
    mae: mean(pairs.map(({ truth, said }) => Math.abs(said - truth))),
    rmse: Math.sqrt(squared),
    ...(pairs.length > 1 && { r2: spread === 0 ? Number(squared === 0) : 1 - squared / spread }),
  }
}

function classMetrics(pairs: readonly Pair<string>[]): Metrics {
  const names = [...new Set(pairs.flatMap(({ truth, said }) => [truth, said]))]
  const counts = new Map(names.map((name) => [name, { right: 0, said: 0, there: 0 }]))
  for (const { truth, said } of pairs) {
    const [own, other] = [counts.get(truth), counts.get(said)]
    if (!own || !other) continue
    own.there += 1
    other.said += 1
    if (truth === said) own.right += 1
  }
  const each = [...counts.values()].map(({ right, said, there }) => ({
    precision: share(right, said),
    recall: share(right, there),
    f1: share(2 * right, said + there),
  }))
  const accuracy = mean(pairs.map(({ truth, said }) => Number(truth === said)))
  return {
    accuracy,
    precision: mean(each.map(({ precision }) => precision)),
    recall: mean(each.map(({ recall }) => recall)),
    f1: mean(each.map(({ f1 }) => f1)),
    // With one class said of each item, precision, recall and F1 over all items are the same number.
    f1_micro: accuracy,
  }
}

type Chances = { readonly truth: string; readonly probabilities: Readonly<Record<string, number>> }

function chanceMetrics(items: readonly Chances[]): Metrics {
  const names = [...new Set(items.flatMap(({ probabilities }) => Object.keys(probabilities)))]
  const squares = items.map(({ truth, probabilities }) =>
    names.reduce((sum, name) => sum + ((probabilities[name] ?? 0) - Number(name === truth)) ** 2, 0),
  )
  const areas = names.flatMap(
    (name) =>
      areaUnderCurve(items.map(({ truth, probabilities }) => ({ score: probabilities[name] ?? 0, isPositive: truth === name }))) ?? [],
  )
  return {
    // Of two classes one says everything, and its error alone is counted.
    brier: mean(squares) / (names.length === 2 ? 2 : 1),
    ece: expectedCalibrationError(
      items.map(({ truth, probabilities }) => {
        const said = likeliestClass(probabilities)
        return { confidence: probabilities[said] ?? 0, isRight: said === truth }
      }),
    ),
    // Each class against all others.
    ...(areas.length === names.length && { auroc: mean(areas) }),
  }
}

type ScoredCase = { readonly score: number; readonly isPositive: boolean }

/** Chance that a positive case scores above a negative one, ties by half; undefined where one of the two is missing. */
export function areaUnderCurve(cases: readonly ScoredCase[]): number | undefined {
  const positives = cases.filter(({ isPositive }) => isPositive).length
  const negatives = cases.length - positives
  if (positives === 0 || negatives === 0) return undefined
  const sorted = cases.toSorted((a, b) => a.score - b.score)
  let ranks = 0
  for (let from = 0; from < sorted.length;) {
    let to = from
    let own = 0
    for (; to < sorted.length && sorted[to]?.score === sorted[from]?.score; to += 1) own += Number(sorted[to]?.isPositive)
    // Cases that score alike share the middle of their ranks.
    ranks += (own * (from + 1 + to)) / 2
    from = to
  }
  return (ranks - (positives * (positives + 1)) / 2) / (positives * negatives)
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
