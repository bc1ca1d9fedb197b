// What a step of an engine holds and how long it takes. The planner's compiled step has this shape; a linear one is here for tests and for
// fits to a log.

/** Of one replica; written anew for every step, so a cost may not keep it. */
export type StepLoad = {
  prefillSequences: number
  prefillTokens: number
  /** Query-key pairs of the prompts' tokens, those with cached keys included. */
  prefillPairs: number
  /** Tokens that decoding sequences check in this step: one each, or one and the drafted ones. */
  decodeSequences: number
  /** Keys that the decoded sequences read, summed. */
  decodeKeys: number
}

/** Seconds of one step. */
export type StepCost = (load: Readonly<StepLoad>) => number

export type LinearCost = {
  readonly step_s: number
  readonly prefillToken_s: number
  readonly prefillPair_s: number
  readonly decodeSequence_s: number
  readonly decodeKey_s: number
}

export const linearCost =
  ({ step_s, prefillToken_s, prefillPair_s, decodeSequence_s, decodeKey_s }: LinearCost): StepCost =>
  (load) =>
    step_s +
    prefillToken_s * load.prefillTokens +
    prefillPair_s * load.prefillPairs +
    decodeSequence_s * load.decodeSequences +
    decodeKey_s * load.decodeKeys

export const emptyLoad = (): StepLoad => ({ prefillSequences: 0, prefillTokens: 0, prefillPairs: 0, decodeSequences: 0, decodeKeys: 0 })

/** What was measured over what was predicted. */
export type CostFactors = { readonly decode: number; readonly prefill: number }

/** Decoding times one factor; what prompts add to it times the other. */
export function scaledCost(cost: StepCost, { decode, prefill }: CostFactors): StepCost {
  const decoding = emptyLoad()
  return (load) => {
    if (load.prefillTokens === 0) return decode * cost(load)
    decoding.decodeSequences = load.decodeSequences
    decoding.decodeKeys = load.decodeKeys
    const alone = load.decodeSequences > 0 ? cost(decoding) : 0
    return decode * alone + prefill * (cost(load) - alone)
  }
}
