// Speculative decoding: a draft proposes N tokens per step, the model checks them together and keeps the leading ones it agrees with,
// and one of its own (Leviathan, Kalman, Matias, ICML 2023).

import type { RandomStream } from '../kernel/random-stream.ts'

export type Speculation = {
  /** Tokens drafted per step. */
  readonly drafted: number
  /** Chance that a drafted token is kept, given that all before it were. */
  readonly acceptance: number
  /** Of the draft, per step. */
  readonly draft_s: number
}

/** Tokens that a step brings on average. */
export const meanGain = ({ drafted, acceptance }: Speculation): number =>
  acceptance === 1 ? drafted + 1 : (1 - acceptance ** (drafted + 1)) / (1 - acceptance)

/** Steps until this many tokens are generated. */
export function stepsFor({ drafted, acceptance }: Speculation, tokens: number, random: RandomStream): number {
  let left = tokens
  let steps = 0
  while (left > 0) {
    let gain = 1
    while (gain <= drafted && random.uniform() < acceptance) gain += 1
    left -= gain
    steps += 1
  }
  return steps
}
