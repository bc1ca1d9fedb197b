// Metrics of predictions that were made elsewhere: classes with or without probabilities, or quantities. Definitions are those of scikit-learn.

import type { EvaluationItem } from '@ironlaw/contracts/evaluation-items'
import { expectedCalibrationError } from './calibration-error.ts'
import type { Metrics } from './metrics.ts'

type Prediction = Pick<EvaluationItem<'prediction'>, 'label' | 'prediction' | 'probabilities' | 'quantiles'>

/** Labels that are numbers are quantities, all others classes. What cannot be said of the items is left out. */
export function predictionMetrics(items: readonly Prediction[]): Metrics {
  if (items.length === 0) return {}
  if (items.every(({ label }) => typeof label === 'number')) return { ...pointMetrics(items), ...quantileMetrics(items) }
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

function pointMetrics(items: readonly Prediction[]): Metrics {
  const pairs: readonly Pair<number>[] = items.flatMap(({ label, prediction }) =>
    typeof label === 'number' && typeof prediction === 'number' ? [{ truth: label, said: prediction }] : [],
  )
  if (pairs.length < items.length) return {}
  const meanTruth = mean(pairs.map(({ truth }) => truth))
  const squared = mean(pairs.map(({ truth, said }) => (said - truth) ** 2))
  const spread = mean(pairs.map(({ truth }) => (truth - meanTruth) ** 2))
  return {
    mae: mean(pairs.map(({ truth, said }) => Math.abs(said - truth))),
    rmse: Math.sqrt(squared),
    ...(pairs.length > 1 && { r2: spread === 0 ? Number(squared === 0) : 1 - squared / spread }),
  }
}

/** Of quantiles that every item has: the loss that is least where they are right, and the share of truths that lie below each. */
function quantileMetrics(items: readonly Prediction[]): Metrics {
  const names = Object.keys(items[0]?.quantiles ?? {}).filter((name) => items.every(({ quantiles }) => quantiles?.[name] !== undefined))
  if (names.length === 0) return {}
  const each = names.map((name) => {
    const over = items.map(({ label, quantiles }) => Number(label) - (quantiles?.[name] ?? 0))
    return {
      name,
      pinball: mean(over.map((error) => Math.max(Number(name) * error, (Number(name) - 1) * error))),
      below: mean(over.map((error) => Number(error <= 0))),
    }
  })
  return {
    pinball: mean(each.map(({ pinball }) => pinball)),
    ...Object.fromEntries(each.map(({ name, pinball }) => [`pinball@${name}`, pinball])),
    ...Object.fromEntries(each.map(({ name, below }) => [`below@${name}`, below])),
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
    // Of classes that are there: one that was only said has no recall.
    balanced_accuracy: mean([...counts.values()].filter(({ there }) => there > 0).map(({ right, there }) => right / there)),
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
  // Each class against all others.
  const cases = names.map((name) =>
    items.map(({ truth, probabilities }) => ({ score: probabilities[name] ?? 0, isPositive: truth === name })),
  )
  const areas = cases.flatMap((own) => areaUnderCurve(own) ?? [])
  const precisions = cases.flatMap((own) => averagePrecision(own) ?? [])
  return {
    // Of two classes one says everything, and its error alone is counted.
    brier: mean(squares) / (names.length === 2 ? 2 : 1),
    ece: expectedCalibrationError(
      items.map(({ truth, probabilities }) => {
        const said = likeliestClass(probabilities)
        return { confidence: probabilities[said] ?? 0, isRight: said === truth }
      }),
    ),
    log_loss: mean(items.map(({ truth, probabilities }) => -Math.log(Math.max(LEAST_CHANCE, probabilities[truth] ?? 0)))),
    ...(areas.length === names.length && { auroc: mean(areas), auprc: mean(precisions) }),
  }
}

/** The loss of a class that was called impossible would be without end. */
const LEAST_CHANCE = Number.EPSILON

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

/** Area under precision over recall, by steps; undefined where there is no positive case. */
function averagePrecision(cases: readonly ScoredCase[]): number | undefined {
  const positives = cases.filter(({ isPositive }) => isPositive).length
  if (positives === 0) return undefined
  const sorted = cases.toSorted((a, b) => b.score - a.score)
  let [found, area] = [0, 0]
  for (let from = 0; from < sorted.length;) {
    let to = from
    let own = 0
    for (; to < sorted.length && sorted[to]?.score === sorted[from]?.score; to += 1) own += Number(sorted[to]?.isPositive)
    found += own
    area += (own / positives) * (found / to)
    from = to
  }
  return area
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
