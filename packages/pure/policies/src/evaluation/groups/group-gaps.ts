// Whether a model treats groups alike. Each group is compared with the largest one, by the criteria that were asked for. They cannot all hold where
// groups differ in how often the outcome is true (J. Kleinberg, S. Mullainathan, M. Raghavan, 2016; A. Chouldechova, 2017), so what was asked
// is judged and what stands against it is named.

import type { EvaluationVerdict, GateRisk } from '../judge-difference.ts'
import { type Bounds, gapBounds, ratioBounds, type Share, shareOf } from './proportions.ts'

/** One person, text or case of a group: what the model said of it, and what was true. */
export type GroupedOutcome = { readonly group: string; readonly said: boolean; readonly truth: boolean }

export const GAP_CRITERIA = ['selection', 'opportunity', 'odds', 'precision'] as const

/**
 * selection: as often said to be true, as a ratio (four-fifths rule). opportunity: of the true as many found. odds: that, and of the false as many taken
 * for true. precision: of those said to be true as many are, which is calibration of a yes.
 */
export type GapCriterion = (typeof GAP_CRITERIA)[number]

export type GapRule = {
  /** Largest difference of shares that does not matter; of selection the smallest ratio. */
  readonly limits: Partial<Readonly<Record<GapCriterion, number>>>
  readonly risk: GateRisk
  /** Cases that a share must rest on to be judged at all. */
  readonly least: number
}

export type GroupGap = {
  readonly criterion: GapCriterion
  /** What was compared: of odds there are two. */
  readonly rate: 'selected' | 'found' | 'false alarms' | 'precision'
  readonly group: string
  readonly against: string
  readonly share: number
  readonly shareAgainst: number
  /** Cases of the smaller side. */
  readonly cases: number
  /** Of the ratio for selection, of the difference else. */
  readonly bounds: Bounds
  readonly verdict: EvaluationVerdict
}

export type GapJudgement = {
  readonly verdict: EvaluationVerdict
  readonly gaps: readonly GroupGap[]
  /** Criteria that were asked for and cannot hold together here, with the reason. */
  readonly impossible?: string
}

type Counts = { said: number; truth: number; both: number; all: number }

export function judgeGroups(outcomes: readonly GroupedOutcome[], rule: GapRule): GapJudgement {
  const groups = countGroups(outcomes)
  const [largest, ...others] = [...groups].toSorted(([a, one], [b, other]) => other.all - one.all || (a < b ? -1 : 1))
  if (!largest || others.length === 0) return { verdict: 'undecided', gaps: [] }
  const asked = GAP_CRITERIA.flatMap((criterion) => {
    const limit = rule.limits[criterion]
    return limit === undefined ? [] : RATES[criterion].map((rate) => ({ criterion, rate, limit }))
  })
  // One gap suffices to refuse, so what may be refused in error is divided among all.
  const risk = { ...rule.risk, falseBlock: rule.risk.falseBlock / Math.max(1, 2 * asked.length * others.length) }
  const gaps = others.flatMap(([group, counts]) =>
    asked.map(({ criterion, rate, limit }) =>
      judgeGap({ criterion, rate, limit, risk, least: rule.least }, { group, against: largest[0] }, [counts, largest[1]]),
    ),
  )
  const verdicts = new Set(gaps.map(({ verdict }) => verdict))
  const impossible = whyImpossible(rule, [...groups])
  return {
    verdict: verdicts.has('worse') ? 'worse' : verdicts.has('undecided') ? 'undecided' : 'as-good',
    gaps,
    ...(impossible === undefined ? {} : { impossible }),
  }
}

function countGroups(outcomes: readonly GroupedOutcome[]): Map<string, Counts> {
  const groups = new Map<string, Counts>()
  for (const { group, said, truth } of outcomes) {
    const counts = groups.get(group) ?? { said: 0, truth: 0, both: 0, all: 0 }
    groups.set(group, counts)
    counts.all += 1
    if (said) counts.said += 1
    if (truth) counts.truth += 1
    if (said && truth) counts.both += 1
  }
  return groups
}

const RATES: Readonly<Record<GapCriterion, readonly GroupGap['rate'][]>> = {
  selection: ['selected'],
  opportunity: ['found'],
  odds: ['found', 'false alarms'],
  precision: ['precision'],
}

function rateOf(rate: GroupGap['rate'], { said, truth, both, all }: Counts): Share {
  switch (rate) {
    case 'selected':
      return { of: all, are: said }
    case 'found':
      return { of: truth, are: both }
    case 'false alarms':
      return { of: all - truth, are: said - both }
    case 'precision':
      return { of: said, are: both }
  }
}

type GapQuestion = {
  readonly criterion: GapCriterion
  readonly rate: GroupGap['rate']
  readonly limit: number
  readonly risk: GateRisk
  readonly least: number
}

function judgeGap(
  { criterion, rate, limit, risk, least }: GapQuestion,
  names: { readonly group: string; readonly against: string },
  [counts, reference]: readonly [Counts, Counts],
): GroupGap {
  const [own, other] = [rateOf(rate, counts), rateOf(rate, reference)]
  const cases = Math.min(own.of, other.of)
  const isRatio = criterion === 'selection'
  const boundsAt = (chance: number): Bounds => (isRatio ? ratioBounds(own, other, chance) : gapBounds(own, other, chance))
  const [allowed, equal] = isRatio ? [{ low: limit, high: 1 / limit }, 1] : [{ low: -limit, high: limit }, 0]
  // A gap that is too large lies on one side only, so one bound is what may miss it.
  const bounds = boundsAt(risk.miss)
  const sure = boundsAt(risk.falseBlock)
  const isWithin = bounds.low > allowed.low && bounds.high < allowed.high
  const isApart = sure.low > equal || sure.high < equal
  const verdict = cases < least ? 'undecided' : isWithin ? 'as-good' : isApart ? 'worse' : 'undecided'
  return { criterion, rate, ...names, share: shareOf(own), shareAgainst: shareOf(other), cases, bounds, verdict }
}

/** Base rates are taken to differ where chance would not make them differ so much. */
function whyImpossible({ limits, risk, least }: GapRule, groups: readonly (readonly [string, Counts])[]): string | undefined {
  const opposed = (['selection', 'odds', 'precision'] as const).filter((criterion) => limits[criterion] !== undefined)
  if (opposed.length < 2) return undefined
  const truths = groups.map(([name, { truth, all }]) => ({ name, share: { of: all, are: truth } })).filter(({ share }) => share.of >= least)
  const [lowest, highest] = [extreme(truths, -1), extreme(truths, 1)]
  if (!lowest || !highest) return undefined
  const apart = gapBounds(highest.share, lowest.share, risk.falseBlock / 2)
  if (apart.low <= 0) return undefined
  const percent = (share: Share): string => `${(100 * shareOf(share)).toFixed(1)} %`
  return `${opposed.join(' and ')} cannot hold together: what is asked about is true in ${percent(highest.share)} of ${highest.name} and ${percent(lowest.share)} of ${lowest.name}; choose one`
}

type Truth = { readonly name: string; readonly share: Share }

const extreme = (truths: readonly Truth[], sign: 1 | -1): Truth | undefined =>
  truths.reduce<Truth | undefined>(
    (best, each) => (best === undefined || sign * (shareOf(each.share) - shareOf(best.share)) > 0 ? each : best),
    undefined,
  )
