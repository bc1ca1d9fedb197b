// A replica as calibration measured it, on a machine whose cores it may share with others.

import type { EngineCosts } from '@ironlaw/policies/serving'
import { type ReplicaRule, VLLM_RULE } from './replica-rule.ts'
import type { StepCost } from './step-cost.ts'

export type MeasuredEngine = {
  readonly costs: EngineCosts
  readonly slots: number
  readonly context_tokens: number
  readonly batch_tokens: number
}

export const measuredReplica = ({ costs, slots, context_tokens, batch_tokens }: MeasuredEngine): ReplicaRule => ({
  ...VLLM_RULE,
  cost: measuredCost(costs),
  tokensPerStep: batch_tokens,
  sequencesMost: slots,
  blocks: Math.ceil((slots * context_tokens) / VLLM_RULE.blockTokens),
  request_s: costs.request_s,
  prefixesIn: 'places',
})

export function measuredCost({ decode, decodeKey_s, prefillSequence_s, prefillToken_s, prefillPair_s }: EngineCosts): StepCost {
  const most = decode.at(-1)?.sequences ?? 1
  const curve = Array.from({ length: most + 1 }, (_, sequences) => interpolatedDecode(decode, sequences))
  const more_s = (curve[most] ?? 0) / most
  return ({ prefillSequences, prefillTokens, prefillPairs, decodeSequences, decodeKeys }) =>
    (curve[decodeSequences] ?? more_s * decodeSequences) +
    decodeKey_s * decodeKeys +
    prefillSequence_s * prefillSequences +
    prefillToken_s * prefillTokens +
    prefillPair_s * prefillPairs
}

function interpolatedDecode(decode: EngineCosts['decode'], sequences: number): number {
  if (sequences === 0) return 0
  const above = decode.findIndex((knot) => knot.sequences >= sequences)
  const [high, low] = [decode[above], decode[above - 1]]
  if (!high || !low) return high?.seconds ?? Number.NaN
  return low.seconds + ((high.seconds - low.seconds) * (sequences - low.sequences)) / (high.sequences - low.sequences)
}
