// Evaluations that stop as soon as they know: after each of a few stages the items so far are judged, each time at a level of its own, so that
// all stages together err as often as one comparison may. Levels come from a share of the risk that may be spent by then (K. K. G. Lan and
// D. L. DeMets, Biometrika 70, 1983), little early and most at the end, as with the bounds of P. C. O'Brien and T. R. Fleming (Biometrics 35,
// 1979), so that the last stage asks for hardly more than a comparison without stages; the chance of having gone on is integrated numerically
// (P. Armitage, C. K. McPherson, B. C. Rowe 1969; C. Jennison and B. W. Turnbull, Group Sequential Methods, 1999, chapter 19). The two errors
// are bounded apart: that the other verdict may end it before makes either of them rarer, which is not counted.

import { normalQuantile, normalShareAbove } from '@ironlaw/laws/normal'
import type { GateRule } from './judge-difference.ts'
import type { Supposed } from './verdict-chances.ts'

/** Twice as many save 4 points more of the items, and err more often where scores are skewed. */
export const STAGES = 5

/** Of the numeric integration, odd for Simpson's rule. */
const POINTS = 101
const HALVINGS = 50
/** Standard deviations beyond which nothing is integrated. */
const REACH = 8

/** Items after which each stage is judged. */
export const stageItems = (items: number): readonly number[] =>
  Array.from({ length: STAGES }, (_, index) => Math.ceil((items * (index + 1)) / STAGES))

/** Share of a risk that may be spent when such a share of the items is there. */
export const spentRisk = (share: number, risk: number): number => 2 * normalShareAbove(normalQuantile(1 - risk / 2) / Math.sqrt(share))

/** Density of a sum of evidence, in standard deviations at the last stage, over the tests that went on; before the first all of it lies at zero. */
type Density = { readonly from: number; readonly to: number; readonly values: readonly number[] }

/** Each takes milliseconds, and a simulation asks for the same ones thousands of times. */
const computed = new Map<number, readonly number[]>()

/** One-sided level at which each stage is judged, for the risk of all of them. */
export function stageLevels(risk: number): readonly number[] {
  const levels = computed.get(risk) ?? integratedLevels(risk)
  computed.set(risk, levels)
  return levels
}

function integratedLevels(risk: number): readonly number[] {
  const levels: number[] = []
  let density: Density | undefined
  let spent = 0
  for (let stage = 1; stage <= STAGES; stage += 1) {
    const share = stage / STAGES
    const spending = spentRisk(share, risk) - spent
    const bound = boundOf(density, spending)
    levels.push(normalShareAbove(bound / Math.sqrt(share)))
    density = continued(density, { from: -REACH * Math.sqrt(share), to: bound, drift: 0 })
    spent += spending
  }
  return levels
}

/** Fewer that differ say nothing yet about how much differences vary. */
export const LEAST_DIFFERING = 10

/** Share of the items that is asked in the mean, as many differing by each stage as may be expected. */
export function askedShare({ margin, risk }: GateRule, { items, differing, difference }: Supposed): number {
  const [falseBlock, miss] = [stageLevels(risk.falseBlock), stageLevels(risk.miss)]
  const scale = Math.sqrt(items / differing)
  let [asked, density] = [1 / STAGES, undefined as Density | undefined]
  for (let stage = 1; stage < STAGES; stage += 1) {
    const share = stage / STAGES
    const isJudged = items * differing * share >= LEAST_DIFFERING
    const root = Math.sqrt(share)
    const from = isJudged ? normalQuantile(falseBlock[stage - 1] as number) * root : -REACH * root
    const to = isJudged ? -normalQuantile(miss[stage - 1] as number) * root - margin * scale * share : REACH * root
    if (from >= to) break
    density = continued(density, { from, to, drift: (difference * scale) / STAGES })
    asked += expected(density, () => 1) / STAGES
  }
  return asked
}

/** By how much the evidence of one stage varies. */
const STEP = Math.sqrt(1 / STAGES)

/** What the sum exceeds, for the first time, with this chance. */
function boundOf(density: Density | undefined, chance: number): number {
  let [low, high] = [0, REACH]
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2
    if (expected(density, (from) => normalShareAbove((middle - from) / STEP)) > chance) low = middle
    else high = middle
  }
  return high
}

type Continuation = { readonly from: number; readonly to: number; readonly drift: number }

function continued(before: Density | undefined, { from, to, drift }: Continuation): Density {
  const values = Array.from({ length: POINTS }, (_, index) => {
    const sum = from + ((to - from) * index) / (POINTS - 1)
    return expected(before, (was) => Math.exp(-(((sum - was - drift) / STEP) ** 2) / 2) / (STEP * Math.sqrt(2 * Math.PI)))
  })
  return { from, to, values }
}

function expected(density: Density | undefined, of: (sum: number) => number): number {
  if (density === undefined) return of(0)
  const { from, to, values } = density
  const width = (to - from) / (POINTS - 1)
  const terms = values.map((value, index) => {
    const weight = index === 0 || index === POINTS - 1 ? 1 : index % 2 === 1 ? 4 : 2
    return weight * value * of(from + index * width)
  })
  return (terms.reduce((sum, term) => sum + term, 0) * width) / 3
}
