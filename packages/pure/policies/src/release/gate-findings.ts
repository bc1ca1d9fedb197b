// What each gate of a release finds in its evidence, in the words of its checklist: verdict, why, and what would have changed it.

import type { VariantProof } from '@ironlaw/contracts/model-version'
import { type GateFigure, MOST_GATE_FIGURES } from '@ironlaw/contracts/release-record'
import type { GateKind, ReleaseGate } from '@ironlaw/contracts/release-spec'
import type { Comparison, ComparedPart } from '../evaluation/compare-evaluations.ts'
import type { EvaluationVerdict, GateRisk } from '../evaluation/judge-difference.ts'
import { type GapJudgement, type GroupGap } from '../evaluation/groups/group-gaps.ts'
import { shareBounds } from '../evaluation/groups/proportions.ts'

export type GateFinding = {
  readonly kind: GateKind | 'complete'
  readonly verdict: EvaluationVerdict
  readonly why: string
  /** What the answer hung on. */
  readonly wouldChange: string
  /** What was measured, against its limits. */
  readonly figures: readonly GateFigure[]
}

/** Where a share rests on no case at all, or a ratio on a share of 0, there is no number. */
export const finiteFigure = ({ low = NaN, high = NaN, ...figure }: GateFigure): readonly GateFigure[] =>
  Number.isFinite(figure.value) ? [{ ...figure, ...(Number.isFinite(low) && { low }), ...(Number.isFinite(high) && { high }) }] : []

type Rule<Kind extends GateKind> = NonNullable<ReleaseGate[Kind]>

const signed = (difference: number): string => `${difference > 0 ? '+' : ''}${(100 * difference).toFixed(2)}`
const points = (difference: number): string => `${signed(difference)} points`
const between = ({ low, high }: { readonly low: number; readonly high: number }): string => `${signed(low)} to ${signed(high)}`
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
const partName = ({ slice, value }: ComparedPart): string => (slice === undefined ? 'all items' : `${slice} ${value ?? ''}`)

export function evaluationFinding({ verdict, parts }: Comparison, { not_worse_by: margin }: Rule<'evaluation'>): GateFinding {
  const [all] = parts
  const isWorse = verdict === 'worse'
  const shown = isWorse ? parts.filter((part) => part.verdict === 'worse') : parts.slice(0, 1)
  const interval = shown.map((part) => `${partName(part)} ${points(part.difference)} (${between(part.bounds)})`)
  const smallest = all?.smallestDrop ?? 1
  return {
    kind: 'evaluation',
    verdict: verdict === 'better' ? 'as-good' : verdict,
    why: `${interval.join(', ')} on ${all?.items ?? 0} items; may be worse by ${points(margin).slice(1)}`,
    wouldChange: isWorse
      ? 'equality is ruled out: a better model, not more items'
      : verdict === 'undecided'
        ? `about ${Math.ceil((all?.items ?? 0) * (smallest / margin) ** 2)} items would show a drop of ${points(margin).slice(1)}`
        : `a drop of ${points(margin).slice(1)} or more would have been seen`,
    figures: shown.slice(0, MOST_GATE_FIGURES).flatMap((part) =>
      finiteFigure({
        name: `${partName(part)}, new less old`,
        unit: 'difference',
        value: part.difference,
        ...part.bounds,
        at_least: -margin,
        cases: part.items,
      }),
    ),
  }
}

/** A percentile lies within a limit where few enough items take longer, which is a share with an interval. */
export function latencyFinding(times_ms: readonly number[], { ms, percentile }: Rule<'latency'>, risk: GateRisk): GateFinding {
  const late = times_ms.filter((time) => time > ms).length
  const allowed = 1 - percentile / 100
  const share = { of: times_ms.length, are: late }
  const [may, must] = [shareBounds(share, risk.miss), shareBounds(share, risk.falseBlock)]
  const verdict = may.high <= allowed ? 'as-good' : must.low > allowed ? 'worse' : 'undecided'
  return {
    kind: 'latency',
    verdict,
    why: `${late} of ${times_ms.length} items took more than ${ms} ms, at most ${percent(may.high)} of all; ${percent(allowed)} may`,
    wouldChange: verdict === 'undecided' ? 'more items on that hardware' : `a limit of ${percentileOf(times_ms, percentile)} ms`,
    figures: [
      ...finiteFigure({
        name: `items over ${ms} ms`,
        unit: 'share',
        value: late / times_ms.length,
        low: must.low,
        high: may.high,
        at_most: allowed,
        cases: times_ms.length,
      }),
      { name: `p${percentile} of the items`, unit: 'ms', value: percentileOf(times_ms, percentile), at_most: ms },
    ],
  }
}

const percentileOf = (values: readonly number[], percentile: number): number =>
  Math.round(values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor((values.length * percentile) / 100))] ?? 0)

/** What an engine held is measured, not drawn from a sample, so there is nothing to be undecided about once it is known. */
export function memoryFinding(held_bytes: number | undefined, most_bytes: number): GateFinding {
  const most = gigabytes(most_bytes)
  if (held_bytes === undefined)
    return {
      kind: 'memory',
      verdict: 'undecided',
      why: 'the engine did not say how much memory it held',
      wouldChange: 'an evaluation by "ironlaw engine" on that hardware',
      figures: [],
    }
  return {
    kind: 'memory',
    verdict: held_bytes <= most_bytes ? 'as-good' : 'worse',
    why: `the engine held ${gigabytes(held_bytes)} at most; ${most} may`,
    wouldChange: `a limit of ${gigabytes(held_bytes)}`,
    figures: [{ name: 'most that the engine held', unit: 'bytes', value: held_bytes, at_most: most_bytes }],
  }
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(bytes < 1e9 ? 3 : 1)} GB`

export function groupsFinding({ verdict, gaps, impossible }: GapJudgement, rule: Rule<'groups'>): GateFinding {
  const { least } = rule
  const decisive = gaps.filter((gap) => gap.verdict === verdict)
  const shown = verdict === 'as-good' ? gaps.toSorted((a, b) => gapOf(b) - gapOf(a)).slice(0, 1) : decisive
  const small = shown.filter(({ cases }) => cases < least)
  return {
    kind: 'groups',
    verdict,
    why: [
      gaps.length === 0 ? 'there is one group only' : shown.slice(0, MOST_SHOWN_GAPS).map(gapText).join('; '),
      ...(impossible === undefined ? [] : [impossible]),
    ].join('. '),
    wouldChange:
      small.length > 0
        ? `${least} cases of ${small.map(({ group }) => group).join(', ')}`
        : verdict === 'worse'
          ? 'equality is ruled out: thresholds or data of the group, not more cases'
          : verdict === 'undecided'
            ? 'more cases of the smaller groups'
            : 'a gap beyond the limit would have been seen',
    figures: shown.slice(0, MOST_SHOWN_GAPS).flatMap((gap) => gapFigure(gap, rule[gap.criterion])),
  }
}

const MOST_SHOWN_GAPS = 3

function gapFigure(gap: GroupGap, limit: number | undefined): readonly GateFigure[] {
  const { criterion, rate, group, against, share, shareAgainst, cases, bounds } = gap
  const isRatio = criterion === 'selection'
  return finiteFigure({
    name: `${rate}, ${group} against ${against}`,
    unit: isRatio ? 'ratio' : 'difference',
    value: isRatio ? share / shareAgainst : share - shareAgainst,
    ...bounds,
    ...(limit !== undefined && { at_least: isRatio ? limit : -limit, at_most: isRatio ? 1 / limit : limit }),
    cases,
  })
}

const gapOf = ({ share, shareAgainst }: GroupGap): number => Math.abs(share - shareAgainst)

const gapText = ({ rate, group, against, share, shareAgainst, cases, bounds }: GroupGap): string =>
  `${rate} ${percent(share)} of ${group} against ${percent(shareAgainst)} of ${against} (${rate === 'selected' ? `ratio ${bounds.low.toFixed(2)} to ${bounds.high.toFixed(2)}` : `${between(bounds)} points`}, ${cases} cases)`

/** Export measured the file against 32 bits on the same tokens, so there is nothing to be undecided about. */
export function quantizationFinding(proof: VariantProof | undefined, rule: Rule<'quantization'>): GateFinding {
  const { weights, perplexity, first_choice: least } = rule
  if (!proof)
    return {
      kind: 'quantization',
      verdict: 'undecided',
      why: `the export did not measure ${weights}`,
      wouldChange: `"ironlaw export --quantise ${weights}" with held-out text`,
      figures: [],
    }
  const { perplexity_change: rise, same_first_choice: same } = proof
  return {
    kind: 'quantization',
    verdict: rise <= perplexity && same >= least ? 'as-good' : 'worse',
    why: `${weights} raises the perplexity by ${percent(rise)} (at most ${percent(perplexity)}) and agrees in the first choice on ${percent(same)} of prompts (at least ${percent(least)})`,
    wouldChange: 'a format with more bits',
    figures: [
      { name: 'rise of the perplexity', unit: 'share', value: rise, at_most: perplexity },
      { name: 'same first choice', unit: 'share', value: same, at_least: least },
    ],
  }
}
