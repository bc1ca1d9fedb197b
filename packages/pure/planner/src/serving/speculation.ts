// Speculative decoding of a replica: a draft proposes tokens, the model checks them in one pass. The pass reads weights and cached keys once
// for all tokens of a sequence; what grows with tokens grows by one more than was drafted.

import { speculativeTokens } from '@ironlaw/laws/decoding/speculative'
import { quantity } from '@ironlaw/units'

export type Speculation = {
  /** Tokens drafted per step. */
  readonly drafted: number
  /** Chance that a drafted token is kept, given that all before it were. */
  readonly acceptance: number
}

/** Tokens that one step brings each sequence. */
export const stepGain = (speculation: Speculation | undefined): number =>
  speculation === undefined
    ? 1
    : speculativeTokens.of({
        acceptance: quantity(speculation.acceptance, '1'),
        draftLength: quantity(speculation.drafted, '1'),
        draftCostRatio: quantity(0, '1'),
      })
