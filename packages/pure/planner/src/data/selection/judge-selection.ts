// Whether choosing data before training pays. Two rules: selecting and training on the subset takes less time than training on everything (the
// selection inequality), and selecting takes at most a tenth of training on the subset. A plan that breaks one is refused, with the figures
// and with what would make it pass.

import { explain, explainAlso } from '@ironlaw/laws'
import { tokenComputeTime } from '@ironlaw/laws/compute/inference'
import { modelTrainingTime } from '@ironlaw/laws/compute/training'
import { rescoringLimit, selectionBreakEven, selectionOverhead, selectionTime } from '@ironlaw/laws/data/selection'
import { type BaseUnit, givenValue, type Known, quantity, show } from '@ironlaw/units'

export type SelectionPlan = {
  readonly pool: number
  readonly subset: number
  readonly epochs: number
  /** Time of all devices together for one sample: scored once, trained on once. */
  readonly score_s: number
  readonly sample_s: number
  /** How often the whole pool is scored; once when absent. */
  readonly scorings?: number
  /** Besides scoring: a proxy is trained, embeddings are made. */
  readonly prepare_s?: number
}

type SelectionFigures = {
  readonly selection_s: number
  readonly train_s: number
  readonly total_s: number
  readonly baseline_s: number
  readonly saved_s: number
  /** Selection over training on the subset. */
  readonly overhead: number
  /** Training on everything from which this selection takes less time. */
  readonly breakEven_s: number
  /** Scorings of the pool that the rule of a tenth allows. */
  readonly scorings: number
}

type BrokenRule = 'slower' | 'overhead'

type SelectionDerivations = Readonly<Record<'total' | 'saved' | 'overhead' | 'breakEven' | 'scorings', Known>>

export type SelectionVerdict = { readonly figures: SelectionFigures; readonly derivations: SelectionDerivations } & (
  | { readonly passes: true }
  | { readonly passes: false; readonly broken: readonly BrokenRule[]; readonly next: readonly string[] }
)

/** Of training on the subset that selecting may take. */
export const MOST_OVERHEAD = 0.1

export function judgeSelection(plan: SelectionPlan): SelectionVerdict {
  const { pool, subset, epochs, score_s, sample_s, scorings = 1, prepare_s = 0 } = plan
  const input = {
    poolSize: given(pool, '1'),
    scoreTime: given(scorings * score_s + prepare_s / pool, 's'),
    subsetSize: given(subset, '1'),
    epochs: given(epochs, '1'),
    sampleTime: given(sample_s, 's'),
  }
  const total = explain(selectionTime, input)
  const [selecting, train, baseline, saved] = [
    explainAlso(selectionTime, input, 'selectionTime'),
    explainAlso(selectionTime, input, 'trainTime'),
    explainAlso(selectionTime, input, 'baselineTime'),
    explainAlso(selectionTime, input, 'timeSaved'),
  ]
  const overhead = explainAlso(selectionOverhead, { selectionTime: selecting, trainTime: train }, 'overheadRatio')
  const breakEven = explain(selectionBreakEven, { selectionTime: selecting, subsetFraction: given(subset / pool, '1') })
  const limit = explain(rescoringLimit, { scoringTime: given(Math.max(Number.MIN_VALUE, pool * score_s), 's'), trainTime: train })
  const figures: SelectionFigures = {
    selection_s: selecting.value,
    train_s: train.value,
    total_s: total.value,
    baseline_s: baseline.value,
    saved_s: saved.value,
    overhead: overhead.value,
    breakEven_s: breakEven.value,
    scorings: limit.value,
  }
  const derivations = { total, saved, overhead, breakEven, scorings: limit }
  const broken: BrokenRule[] = []
  if (!(figures.saved_s > 0)) broken.push('slower')
  // The rule is met by a tenth exactly, which rounding must not break.
  if (!(figures.overhead <= MOST_OVERHEAD * (1 + 1e-9))) broken.push('overhead')
  if (broken.length === 0) return { passes: true, figures, derivations }
  return { passes: false, broken, next: remedies(plan, figures), figures, derivations }
}

function remedies(
  { pool, score_s, scorings = 1, prepare_s = 0 }: SelectionPlan,
  { train_s, scorings: most, baseline_s }: SelectionFigures,
): readonly string[] {
  const room_s = Math.min(MOST_OVERHEAD * train_s, baseline_s - train_s)
  const each = (room_s - prepare_s) / (scorings * pool)
  const time = (value: number): string => show(quantity(value, 's'), 's')
  const next: string[] = []
  if (room_s <= 0) return ['the subset is not smaller than the pool: keep fewer samples']
  if (scorings > 1 && most >= 1) next.push(`score at most ${Math.floor(most)} times instead of ${scorings}`)
  if (each > 0) next.push(`score a sample in at most ${time(each)} instead of ${time(score_s)}: a smaller proxy does it`)
  else next.push(`prepare in less than ${time(room_s)}: a proxy of ${time(prepare_s)} is too dear for ${time(train_s)} of training`)
  const share = room_s / (scorings * pool * score_s + prepare_s)
  if (share < 1) next.push(`or score ${Math.max(0.1, Math.floor(1000 * share) / 10)} % of the pool, drawn at random, and select from that`)
  return next
}

export type ProxyScoring = {
  readonly params: number
  readonly tokens: number
  readonly devices: number
  readonly peak_flops: number
  readonly efficiency: number
  /** Passes over the pool that the proxy is trained for before it scores; none when absent. EL2N wants 5 to 10. */
  readonly trainEpochs?: number
}

/** Time of all devices for a proxy model: to train it on the pool, and to score the pool with one forward pass. */
export function proxyCost({ params, tokens, devices, peak_flops, efficiency, trainEpochs = 0 }: ProxyScoring): {
  readonly score: Known<'s'>
  readonly prepare: Known<'s'>
} {
  const machine = {
    params: given(params, '1'),
    devices: given(devices, '1'),
    peakFlops: given(peak_flops, 'FLOP/s'),
    efficiency: given(efficiency, '1'),
  }
  return {
    score: explain(tokenComputeTime, { ...machine, tokens: given(tokens, 'token') }),
    prepare: explain(modelTrainingTime, { ...machine, tokens: given(trainEpochs * tokens, 'token') }),
  }
}

const given = <U extends BaseUnit>(value: number, unit: U): Known<U> => givenValue(value, unit)
