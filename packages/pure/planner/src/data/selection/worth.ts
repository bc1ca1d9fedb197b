// Whether selecting data for a model pays: what the proxy costs, the gate, what repeating the kept text is worth, and how often scores may be made again.

import { explain } from '@ironlaw/laws'
import { repeatedTokens } from '@ironlaw/laws/data/selection'
import { givenValue, type Known, quantity, show } from '@ironlaw/units'
import { worthOfEpochs, type WorthOfEpochs } from './epochs.ts'
import { judgeSelection, MOST_OVERHEAD, proxyCost, type SelectionVerdict } from './judge-selection.ts'
import { rescoringInterval } from './staleness.ts'

export type SelectionCase = {
  /** Of the model that is trained; those that a token passes through. */
  readonly params: number
  /** Tokens of the pool, and the share of them that is kept. */
  readonly tokens: number
  readonly keep: number
  /** How often the model goes through what is kept. */
  readonly epochs: number
  readonly proxy: {
    readonly params: number
    /** Epochs over the pool that the proxy is trained for; 0 for one that exists. */
    readonly epochs: number
    readonly scorings: number
  }
  readonly machine: { readonly devices: number; readonly peak_flops: number; readonly efficiency: number }
}

export type SelectionWorth = {
  readonly verdict: SelectionVerdict
  readonly keptTokens: number
  readonly proxy: {
    readonly prepare_s: number
    /** All scorings. */
    readonly score_s: number
    /** The largest one within both rules; 0 where there is none. */
    readonly mostParams: number
  }
  readonly rescoring: {
    /** Within both rules, with this proxy. */
    readonly most: number
    /** Epochs from one scoring to the next; nothing where one is all, or already too much. */
    readonly everyEpochs?: number
  }
  readonly repetition: WorthOfEpochs
  readonly derivations: Readonly<Record<string, Known>>
  /** Training on the kept text for as long as selecting and training on the whole pool would take. */
  readonly sameTime?: {
    readonly epochs: number
    readonly effectiveTokens: number
    /** What a kept token must teach, of an average one of the pool, to end where the pool would. */
    readonly leastGain: number
  }
}

/** An epoch that teaches less than half of what fresh text would is not worth its compute. */
const LEAST_GAIN = 0.5

export function selectionWorth(of: SelectionCase): SelectionWorth {
  const { params, tokens, keep, epochs, machine } = of
  const proxy = costOf(of, of.proxy)
  const training = proxyCost({ params, tokens: keep * tokens, trainEpochs: epochs, ...machine }).prepare
  const judged = judge(of, of.proxy)
  const { train_s, baseline_s, selection_s } = judged.figures
  const room_s = Math.min(MOST_OVERHEAD * train_s, baseline_s - train_s)
  const passes = (change: Partial<SelectionCase['proxy']>): boolean => judge(of, { ...of.proxy, ...change }).passes
  // What divides evenly is decided by the verdict itself: rounding may lead to either side of it.
  const near = Math.floor((room_s - proxy.prepare.value) / proxy.score.value)
  const most = [near + 1, near].find((scorings) => scorings >= 1 && passes({ scorings })) ?? Math.max(0, near - 1)
  const every = rescoringInterval(epochs, most)
  const largest = roundedDown(of.proxy.params * (room_s / selection_s))
  const mostParams = largest === 0 || passes({ params: largest }) ? largest : roundedDown(largest * (1 - 1e-6))
  const repetition = worthOfEpochs({ uniqueTokens: keep * tokens, leastGain: LEAST_GAIN })
  return {
    verdict: judged.passes ? judged : { ...judged, next: remedies(of, { most, mostParams, room_s, selection_s }) },
    keptTokens: keep * tokens,
    proxy: { prepare_s: proxy.prepare.value, score_s: of.proxy.scorings * proxy.score.value, mostParams },
    rescoring: { most, ...(most > 1 && Number.isFinite(every) && { everyEpochs: every }) },
    repetition,
    derivations: {
      ...(of.proxy.epochs > 0 && { 'train the proxy': proxy.prepare }),
      'score the pool': proxy.score,
      'train on what is kept': training,
      saved: judged.derivations.saved,
      'break-even': judged.derivations.breakEven,
      'worth of the epochs': repetition.by,
    },
    ...sameTimeOf(of, (baseline_s - selection_s) / (train_s / epochs)),
  }
}

const costOf = ({ tokens, machine }: SelectionCase, { params, epochs }: SelectionCase['proxy']) =>
  proxyCost({ params, tokens, trainEpochs: epochs, ...machine })

function judge(of: SelectionCase, proxy: SelectionCase['proxy']): SelectionVerdict {
  const { params, tokens, keep, epochs, machine } = of
  const { score, prepare } = costOf(of, proxy)
  const training = proxyCost({ params, tokens: keep * tokens, trainEpochs: epochs, ...machine }).prepare
  return judgeSelection({
    pool: tokens,
    subset: keep * tokens,
    epochs,
    score_s: score.value / tokens,
    sample_s: training.value / (keep * tokens * epochs),
    scorings: proxy.scorings,
    prepare_s: prepare.value,
  })
}

type Room = { readonly most: number; readonly mostParams: number; readonly room_s: number; readonly selection_s: number }

/** In the words of whoever chooses a proxy. */
function remedies({ proxy }: SelectionCase, { most, mostParams, room_s, selection_s }: Room): readonly string[] {
  if (room_s <= 0) return ['keep less than the whole pool']
  const share = Math.floor((1000 * room_s) / selection_s) / 10
  return [
    ...(proxy.scorings > 1 && most >= 1
      ? [`score ${most === 1 ? 'once' : `at most ${most} times`} instead of ${proxy.scorings} times`]
      : []),
    `use a proxy of at most ${show(quantity(mostParams, '1'), '1')} parameters instead of ${show(quantity(proxy.params, '1'), '1')}`,
    ...(share >= 0.1 ? [`or select from ${share} % of the pool, drawn at random`] : []),
  ]
}

/** To three digits, so that what is printed is within the rules. */
function roundedDown(value: number): number {
  if (!(value >= 1)) return 0
  const unit = 10 ** (Math.floor(Math.log10(value)) - 2)
  return Math.floor(value / unit) * unit
}

const effective = (uniqueTokens: number, epochs: number): number =>
  epochs < 1
    ? uniqueTokens * epochs
    : explain(repeatedTokens, { uniqueTokens: givenValue(uniqueTokens, 'token'), epochs: givenValue(epochs, '1') }).value

function sameTimeOf({ tokens, keep, epochs }: SelectionCase, possible: number): Pick<SelectionWorth, 'sameTime'> {
  if (!(possible > 0)) return {}
  const kept = effective(keep * tokens, possible)
  return { sameTime: { epochs: possible, effectiveTokens: kept, leastGain: effective(tokens, epochs) / kept } }
}
