// What the verdicts of a judge say of the truth. Its errors are measured on answers that a person has labelled, and taken out of the share that it
// calls right (W. J. Rogan, B. Gladen, American Journal of Epidemiology 107, 1978), with an interval that holds for few labels too, because all
// three shares are pulled a little to the middle (Z. Lang, J. Reiczigel, Preventive Veterinary Medicine 113, 2014).

import { normalQuantile } from '@ironlaw/laws/normal'
import { type ClusteredScore, meanScore, type MetricInterval } from './scoring/metric-intervals.ts'

/** What the judge made of a labelled answer: 1 right, 0 wrong, between where its two verdicts differ. */
export type LabelledVerdict = { readonly label: 0 | 1; readonly score: number }

type JudgeCalibration = {
  readonly labelled: { readonly right: number; readonly wrong: number }
  readonly agreement?: MetricInterval
  readonly sensitivity?: MetricInterval
  readonly specificity?: MetricInterval
  readonly corrected?: MetricInterval
  /** Why there is no corrected share. */
  readonly refused?: string
}

/** Of right answers, and of wrong ones: with fewer the interval says next to nothing. */
const LEAST_LABELLED = 20
/** A judge that tells right from wrong hardly better than a coin cannot be corrected. */
const LEAST_SKILL = 0.2
const TAIL = 0.05

export function calibrateJudge(verdicts: readonly ClusteredScore[], labelled: readonly LabelledVerdict[]): JudgeCalibration {
  const scoresOf = (label: 0 | 1): readonly number[] => labelled.flatMap((each) => (each.label === label ? [each.score] : []))
  const [right, wrong] = [scoresOf(1), scoresOf(0).map((score) => 1 - score)]
  const counts = { labelled: { right: right.length, wrong: wrong.length } }
  if (right.length < LEAST_LABELLED || wrong.length < LEAST_LABELLED)
    return {
      ...counts,
      refused: `${right.length} right and ${wrong.length} wrong answers are labelled; ${LEAST_LABELLED} of each are needed`,
    }
  const [sensitivity, specificity] = [shareOf(right), shareOf(wrong)]
  const measured = { ...counts, agreement: shareOf([...right, ...wrong]), sensitivity, specificity }
  const skill = sensitivity.low + specificity.low - 1
  if (skill < LEAST_SKILL)
    return {
      ...measured,
      refused: `the judge tells right from wrong too badly: ${percent(skill)} better than chance at least, ${percent(LEAST_SKILL)} are needed`,
    }
  return { ...measured, corrected: correctedShare(verdicts, { right, wrong }) }
}

const percent = (share: number): string => `${Math.round(100 * share)} %`
const shareOf = (scores: readonly number[]): MetricInterval => meanScore(scores.map((score) => ({ score, values: {} })))

type Skill = { readonly right: readonly number[]; readonly wrong: readonly number[] }

function correctedShare(verdicts: readonly ClusteredScore[], { right, wrong }: Skill): MetricInterval {
  const z = normalQuantile(1 - TAIL)
  const { value } = meanScore(verdicts)
  const items = independentItems(verdicts)
  const [n, rightCount, wrongCount] = [items + z * z, right.length + 2, wrong.length + 2]
  const share = (items * value + (z * z) / 2) / n
  const sensitivity = (sumOf(right) + 1) / rightCount
  const specificity = (sumOf(wrong) + 1) / wrongCount
  const skill = sensitivity + specificity - 1
  const middle = (share + specificity - 1) / skill
  const [ofRight, ofWrong] = [(sensitivity * (1 - sensitivity)) / rightCount, (specificity * (1 - specificity)) / wrongCount]
  const shift = 2 * z * z * (middle * ofRight - (1 - middle) * ofWrong)
  const reach = (z / skill) * Math.sqrt((share * (1 - share)) / n + middle * middle * ofRight + (1 - middle) ** 2 * ofWrong)
  const plain = (value + mean(wrong) - 1) / (mean(right) + mean(wrong) - 1)
  return { value: clipped(plain), low: clipped(middle + shift - reach), high: clipped(middle + shift + reach) }
}

/** Items that would say as much without clusters. */
function independentItems(verdicts: readonly ClusteredScore[]): number {
  const groups = new Map<string, { count: number; over: number }>()
  const { value } = meanScore(verdicts)
  for (const [index, { score, cluster }] of verdicts.entries()) {
    const key = cluster ?? `\0${index}`
    const own = groups.get(key) ?? { count: 0, over: 0 }
    groups.set(key, { count: own.count + 1, over: own.over + score - value })
  }
  const alone = verdicts.reduce((sum, { score }) => sum + (score - value) ** 2, 0)
  const together = [...groups.values()].reduce((sum, { over }) => sum + over * over, 0)
  return alone === 0 ? groups.size : verdicts.length * Math.min(1, alone / together)
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)
const mean = (values: readonly number[]): number => sumOf(values) / values.length
const clipped = (share: number): number => Math.min(1, Math.max(0, share))
