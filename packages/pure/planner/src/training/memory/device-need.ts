// What a device needs beyond what the account sums up, and how sure the whole is. States are exact: parameters are counted. What lives for part
// of a step, what a caching allocator adds and what lies outside it are known to a few per cent, so a layout fits with a probability. A fixed
// share of the device as headroom was rejected: it is too much where states fill the device and too little where activations do.

import { bare } from '@ironlaw/laws/law'
import { fitProbability, needSpread } from '@ironlaw/laws/memory/fit'
import { normalQuantile } from '@ironlaw/laws/normal'
import type { Strategy } from '../strategy.ts'

/** Likely bytes and their standard deviation. */
export type DeviceNeed = { readonly likely: number; readonly spread: number }

/**
 * Reserved over allocated, and its standard deviation as a share of what is allocated. 43 runs on B200 with Megatron span 1.01 to 1.10, median
 * 1.04, and lie 2.5 % around it: one software on one machine. Of the published layouts that the account expects to fit into a GPU, 257 ran and one
 * ran out of memory; that, and the one that it expects to fail, is as likely with 3.5 as with 5 %, best at 4 %, and two failures exclude little
 * between 1.5 and 10 %. 20 runs of torchtitan reserved 12 % more than the account says (root mean square), more than they needed, because an
 * allocator keeps what it once took. Hence the upper end.
 */
export const ALLOCATOR = { likely: 1.04, spread: 0.05 }
/**
 * Activations, logits, working and gathered tensors: 19 layouts of SimuMax lie 3.6 % off (root mean square). The rules of the account were worked
 * out on those, so more is stated for others.
 */
export const TRANSIENT_SPREAD = 0.06
/** Driver context, cuBLAS and cuDNN workspaces: outside the allocator, 0.5 to 1.5 GB on data-centre cards. */
export const CONTEXT = { likely: 0.9e9, spread: 0.3e9 }
/** Buffers of one NCCL communicator with its default channels: 0.05 to 0.4 GB. */
export const COMMUNICATOR = { likely: 0.15e9, spread: 0.1e9 }

/** With this probability a layout fits unless the spec asks for another. */
export const DEFAULT_FIT_PROBABILITY = 0.95
/** Below the probability asked for and from this on, a layout is tight: shown where nothing else is left, because it may be known to run. */
export const LEAST_FIT_PROBABILITY = 0.5

const needSpreadOf = bare(needSpread)
const chanceOf = bare(fitProbability)

export const communicatorsOf = ({ tensor, context, pipeline, expert, data }: Strategy): number =>
  Number(tensor > 1) + Number(context > 1) + Number(pipeline > 1) + Number(expert > 1) + Number(data > 1)

/** By the number of communicators, which are alike, so that theirs are off together. */
const OUTSIDE_SPREADS = Array.from({ length: 6 }, (_, communicators) => Math.hypot(CONTEXT.spread, communicators * COMMUNICATOR.spread))

export const outsideSpread = (strategy: Strategy): number => OUTSIDE_SPREADS[communicatorsOf(strategy)] ?? 0

/** `transient` is the part of what is allocated that lives for part of a step. */
export function deviceNeed(strategy: Strategy, { allocated, transient }: { allocated: number; transient: number }): DeviceNeed {
  const likely = allocated * ALLOCATOR.likely + CONTEXT.likely + communicatorsOf(strategy) * COMMUNICATOR.likely
  const spread = needSpreadOf({
    allocated,
    transient: ALLOCATOR.likely * transient,
    outside: outsideSpread(strategy),
    allocatorSpread: ALLOCATOR.spread,
    transientSpread: TRANSIENT_SPREAD,
  })
  return { likely, spread }
}

export const fitProbabilityOf = ({ likely, spread }: DeviceNeed, limit: number): number => chanceOf({ likely, spread, deviceMemory: limit })

/** Standard deviations that a probability leaves free: computed once, so that a search makes one comparison. */
export const marginFor = (probability: number): number => normalQuantile(probability)

const DEFAULT_MARGIN = marginFor(DEFAULT_FIT_PROBABILITY)

/** The upper end of the 90 % interval, for which the default probability asks room. The stage of a pipeline where it is highest is the fullest. */
export const highNeed = ({ likely, spread }: DeviceNeed): number => likely + DEFAULT_MARGIN * spread
export const lowNeed = ({ likely, spread }: DeviceNeed): number => likely - DEFAULT_MARGIN * spread

/** A probability for people, rounded down: nothing is certain, nothing impossible, and 94.9 % is not what 95 % asks for. */
export function chanceText(probability: number): string {
  if (probability > 0.995) return 'more than 99 %'
  return probability < 0.005 ? 'less than 1 %' : `${Math.floor(100 * probability + 1e-9)} %`
}
