// A measured drop in quality as an entry of the catalog.

import type { JsonObject } from '@ironlaw/catalog'
import type { WeightPrecision } from '@ironlaw/contracts'
import { instrumentDigest } from '@ironlaw/contracts/evaluation'
import type { ReadEvaluation } from '@ironlaw/evaluations'
import { compareResults } from '@ironlaw/policies/evaluation'
import { seenMargin } from '../evaluate/comparable.ts'
import { today } from './document.ts'
import { figureText } from './entries.ts'

export type QualityArm = { readonly directory: string; readonly read: ReadEvaluation; readonly precision: WeightPrecision }

export type QualityPair = {
  readonly model: string
  readonly reference: QualityArm
  readonly candidate: QualityArm
  readonly cache: string
  /** Compared with one reference in one go: what the bounds may miss is divided among them. */
  readonly candidates: number
}

/** Chance of the truth beyond each bound. */
const RISK = { falseBlock: 0.05, miss: 0.05 }

export const qualityId = ({ model, reference, candidate, cache }: QualityPair): string =>
  [model, candidate.precision, cache, reference.read.evaluation.name]
    .join('-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

type MeasuredDrop = { readonly value: number; readonly low: number; readonly high: number; readonly differing: number }

/** How far the candidate scores below the reference. Of judged items a part of a difference shows, so the drop is as much larger. */
function measuredDrop({ reference: { read: before }, candidate: { read: after }, candidates }: QualityPair): MeasuredDrop {
  const seen = seenMargin(before, after, 1)
  const [all] = compareResults(before.results, after.results, { margin: seen, risk: RISK, looks: candidates, slices: [] }).parts
  if (!all) throw new Error('a comparison has a part for all items')
  const { difference, bounds, differing } = all
  return { value: -difference / seen, low: -bounds.high / seen, high: -bounds.low / seen, differing }
}

export function qualityEntry(pair: QualityPair): JsonObject {
  const { model, reference, candidate, cache, candidates } = pair
  const [before, after] = [reference.read.evaluation, candidate.read.evaluation]
  const { quantization: _, ...instrument } = before.instrument
  const { value, low, high, differing } = measuredDrop(pair)
  const from = 'calibrate'
  const figure = (number: number): JsonObject => ({ is: figureText(number, '1'), from })
  const engine = [instrument.engine, instrument.version ?? []].flat().join(' ')
  return {
    name: `${model}: ${candidate.precision} against ${reference.precision} on ${before.name}`,
    sources: {
      [from]: { ref: `ironlaw calibrate quality: ${candidate.directory} against ${reference.directory}, ${engine}`, date: today() },
    },
    model,
    precision: candidate.precision,
    cache,
    reference: reference.precision,
    suite: before.name,
    task: instrument.task,
    metric: instrument.metric,
    digests: {
      items: before.items.digest,
      instrument: instrumentDigest(instrument),
      reference: before.results,
      candidate: after.results,
    },
    items: figure(before.items.count),
    differing: figure(differing),
    referenceScore: figure(before.score.value),
    score: figure(after.score.value),
    drop: { value: figure(value), low: figure(low), high: figure(high) },
    candidates: figure(candidates),
  }
}
