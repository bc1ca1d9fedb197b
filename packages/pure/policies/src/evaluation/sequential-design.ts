// Evaluation that stops as soon as it knows. Looks are planned in information (items over the variance of a difference); at each, a share of
// both risks may be spent (K. K. G. Lan and D. L. DeMets, Biometrika 70, 1983), little early and most at the end, so that the last look asks
// for hardly more than a test without looks would. Bounds come from the chance of having gone on so far, integrated numerically
// (P. Armitage, C. K. McPherson, B. C. Rowe 1969; C. Jennison and B. W. Turnbull, Group Sequential Methods, 1999, chapter 19).

import { normalQuantile, normalShareBelow } from '@ironlaw/laws/normal'
import type { GateRule } from './judge-difference.ts'

/** In standard errors of the difference seen: down from `worse` it is worse, up from `asGood` as good. */
export type LookBounds = { readonly worse: number; readonly asGood: number }

/** Early looks spend little: a quarter of the risks by half of the information. */
const SPENDING_POWER = 2
/** Of the numeric integration, odd for Simpson's rule. */
const POINTS = 81
const HALVINGS = 40

/** Information at which a test with one look meets both risks. */
export const fixedInformation = ({ margin, risk }: GateRule): number =>
  ((normalQuantile(1 - risk.falseBlock) + normalQuantile(1 - risk.miss)) / margin) ** 2

/** Information up to which a design with so many even looks may have to go: that at which both bounds meet. */
export function sequentialInformation(rule: GateRule, looks: number): number {
  const fixed = fixedInformation(rule)
  let [low, high] = [fixed * 0.9, fixed * 2]
  for (let step = 0; step < 20; step += 1) {
    const middle = (low + high) / 2
    const at = Array.from({ length: looks }, (_, look) => (middle * (look + 1)) / looks)
    const last = lookBounds(
      at.map((information) => ({ information, spent: spentBy(information, middle) })),
      rule,
    ).at(-1) as LookBounds
    if (last.worse < last.asGood) low = middle
    else high = middle
  }
  return high
}

/** Share of the risks that may be spent when so much of the most information is there. */
export const spentBy = (information: number, most: number): number => Math.min(1, information / most) ** SPENDING_POWER

/** The information that a look had, and the share of the risks spent up to it. */
export type Look = { readonly information: number; readonly spent: number }

type Density = { readonly from: number; readonly to: number; readonly values: readonly number[] }

/** Bounds of every look up to the one at which they meet, from the information that each really had. */
export function lookBounds(looks: readonly Look[], { margin, risk }: GateRule): LookBounds[] {
  const bounds: LookBounds[] = []
  let before: Look = { information: 0, spent: 0 }
  let equal: Density | undefined
  let dropped: Density | undefined
  for (const look of looks) {
    const { information } = look
    const gained = information - before.information
    const share = look.spent - before.spent
    // Scores are sums, whose increments are independent: `information * difference` with variance `information`.
    const belowEqual = (score: number): number => tailBelow(equal, { gained, drift: 0 }, score)
    const aboveDropped = (score: number): number => tailAbove(dropped, { gained, drift: -margin }, score)
    const reach = 9 * Math.sqrt(information) + margin * information
    const worse = bisect({ low: -reach, high: reach }, (score) => belowEqual(score) < risk.falseBlock * share)
    const asGood = bisect({ low: -reach, high: reach }, (score) => aboveDropped(score) > risk.miss * share)
    const root = Math.sqrt(information)
    bounds.push({ worse: worse / root, asGood: asGood / root })
    if (worse >= asGood) break
    const within = { from: worse, to: asGood }
    equal = continued(equal, { gained, drift: 0 }, within)
    dropped = continued(dropped, { gained, drift: -margin }, within)
    before = look
  }
  return bounds
}

type Step = { readonly gained: number; readonly drift: number }

const tailBelow = (before: Density | undefined, { gained, drift }: Step, score: number): number =>
  expected(before, (from) => normalShareBelow((score - from - drift * gained) / Math.sqrt(gained)))

const tailAbove = (before: Density | undefined, { gained, drift }: Step, score: number): number =>
  expected(before, (from) => normalShareBelow((from + drift * gained - score) / Math.sqrt(gained)))

/** Density of the score of tests that go on after this look. */
function continued(before: Density | undefined, { gained, drift }: Step, { from, to }: { from: number; to: number }): Density {
  const values = Array.from({ length: POINTS }, (_, index) => {
    const score = from + ((to - from) * index) / (POINTS - 1)
    return expected(before, (was) => Math.exp(-((score - was - drift * gained) ** 2) / (2 * gained)) / Math.sqrt(2 * Math.PI * gained))
  })
  return { from, to, values }
}

/** Before the first look all of it lies at zero. */
function expected(density: Density | undefined, of: (score: number) => number): number {
  if (density === undefined) return of(0)
  const { from, to, values } = density
  const width = (to - from) / (POINTS - 1)
  let sum = 0
  for (let index = 0; index < POINTS; index += 1) {
    const weight = index === 0 || index === POINTS - 1 ? 1 : index % 2 === 1 ? 4 : 2
    sum += weight * (values[index] as number) * of(from + index * width)
  }
  return (sum * width) / 3
}

/** Where a property that holds from `low` on ends. */
function bisect({ low, high }: { low: number; high: number }, holds: (at: number) => boolean): number {
  for (let step = 0; step < HALVINGS; step += 1) {
    const middle = (low + high) / 2
    if (holds(middle)) low = middle
    else high = middle
  }
  return low
}
