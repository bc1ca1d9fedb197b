// A release as it comes to a gate: two models on the same items, one of which is known to be as good as the other or worse by the margin.

import type { PairedScore } from '@ironlaw/policies/evaluation'
import { designEffect, pairedItems } from '@ironlaw/laws/experiments/sample-size'
import { normalQuantile } from '@ironlaw/laws/normal'
import { scalar } from '@ironlaw/units'
import type { RandomStream } from '../kernel/random-stream.ts'

/** What the candidate truly is. */
export type Truth = 'equal' | 'worse'

export type DrawnRelease = {
  readonly truth: Truth
  readonly margin: number
  /** Share of items on which the two truly differ when they are equal. */
  readonly differing: number
  readonly scores: readonly PairedScore[]
}

/** A gate may ask for a margin of so many points. */
const MARGINS = [0.02, 0.03, 0.05] as const
/** Of an evaluation of a model against itself, by which the share that differs was measured before. */
const PILOT_ITEMS = 400

export type ReleaseRisk = { readonly falseBlock: number; readonly miss: number }

/** Suites as they are: a right answer in 40 to 90 % of items, 4 to 20 % of which differ, half of them with several items to a text. */
export function drawRelease(random: RandomStream, { truth, risk }: { readonly truth: Truth; readonly risk: ReleaseRisk }): DrawnRelease {
  const margin = MARGINS[Math.floor(random.uniform() * MARGINS.length)] as number
  const differing = Math.max(margin, 0.04 + 0.16 * random.uniform())
  const accuracy = 0.4 + 0.5 * random.uniform()
  const clusterSize = random.uniform() < 0.5 ? 1 : 4
  const icc = clusterSize === 1 ? 0 : 0.2
  const items = plannedItems({
    differing: pilotShare(random, differing),
    margin,
    risk,
    effect: designEffect.of({ clusterSize: scalar(clusterSize), icc: scalar(icc) }),
  })
  const difference = truth === 'equal' ? 0 : -margin
  const scores: PairedScore[] = []
  for (let text = 0; scores.length < items; text += 1) {
    const shared = drawPair(random, { differing, difference, accuracy })
    for (let each = 0; each < clusterSize && scores.length < items; each += 1) {
      const own = random.uniform() < Math.sqrt(icc) ? shared : drawPair(random, { differing, difference, accuracy })
      scores.push(clusterSize === 1 ? own : { ...own, cluster: String(text) })
    }
  }
  return { truth, margin, differing, scores }
}

/** The share measured before, with what a pilot of its size is off by; planned for its upper end, since too few items decide nothing. */
function pilotShare(random: RandomStream, differing: number): number {
  let count = 0
  for (let item = 0; item < PILOT_ITEMS; item += 1) count += Number(random.uniform() < differing)
  const share = (count + 0.5) / (PILOT_ITEMS + 1)
  return Math.min(1, share + Math.sqrt((share * (1 - share)) / PILOT_ITEMS))
}

type Sized = { readonly differing: number; readonly margin: number; readonly risk: ReleaseRisk; readonly effect: number }

const plannedItems = ({ differing, margin, risk, effect }: Sized): number =>
  Math.ceil(
    pairedItems.of({
      differing: scalar(Math.max(differing, margin)),
      margin: scalar(margin),
      designEffect: scalar(effect),
      zAlpha: scalar(normalQuantile(1 - risk.falseBlock)),
      zBeta: scalar(normalQuantile(1 - risk.miss)),
    }),
  )

type Pair = { readonly differing: number; readonly difference: number; readonly accuracy: number }

/** Both right, both wrong, or one of them. */
function drawPair(random: RandomStream, { differing, difference, accuracy }: Pair): { readonly before: 0 | 1; readonly after: 0 | 1 } {
  const draw = random.uniform()
  if (draw < (differing - difference) / 2) return { before: 1, after: 0 }
  if (draw < differing) return { before: 0, after: 1 }
  const right = random.uniform() < (accuracy - differing / 2) / (1 - differing) ? 1 : 0
  return { before: right, after: right }
}
