// Sizes that are possible and hardly meant: 4 million sequences a step, sequences of 8 million tokens, 300 tokens of data. What would waste
// a plan is refused, the rest become warnings, both with what was probably meant.

import type { TrainSpec } from '@ironlaw/contracts/train-spec'
import { quantityOf } from '@ironlaw/contracts'
import { HOUR, quantity, show } from '@ironlaw/units'

export type TrainingSizes = {
  readonly spec: TrainSpec
  readonly tokens: number
  readonly sequence: number
  /** Sequences per step. */
  readonly batch: number
  readonly longestContext: number | undefined
  /** Bytes per second and accelerator between nodes. */
  readonly link: number
}

/** Published runs stay below 0.1G tokens a step (DeepSeek-V3: 63M); ten times that is a slip. */
const MOST_TOKENS_PER_STEP = 1e9
/** The longest context that any model states is 10M tokens (Llama 4 Scout). */
const LONGEST_SEQUENCE = 16 * 1024 ** 2
/** A sequence beyond the model's own by more than this is rather a slip than an extension of its context. */
const FAR_BEYOND = 8
/** Language models are not trained on shorter ones; "8" stands for "8k". */
const SHORTEST_SEQUENCE = 32
/** 1.6 Tb/s each way: twice the network of any accelerator sold in 2026. */
const MOST_LINK = 200e9
/** USD per accelerator and hour; the dearest on-demand offer of the catalog is below 20. A node of eight costs more than this. */
const MOST_PRICE = 25

export type SizeRefusal = { readonly field: string; readonly problem: string }

/** Undefined when some model could take it. */
export const lengthProblem = (sequence: number): string | undefined =>
  sequence > LONGEST_SEQUENCE ? `${formatCount(sequence)} tokens are longer than any model takes${lengthSuggestion(sequence)}` : undefined

/** Undefined when the sizes could be meant. */
export function sizeRefusal({ spec, tokens, sequence, batch }: TrainingSizes): SizeRefusal | undefined {
  const perStep = batch * sequence
  if (perStep > MOST_TOKENS_PER_STEP)
    return {
      field: 'globalBatch',
      problem: `${formatCount(batch)} sequences of ${formatCount(sequence)} are ${formatTokens(perStep)} in one step; did you mean "${formatShort(batch)} tokens"?`,
    }
  if (tokens < perStep)
    return {
      field: 'tokens',
      problem: `${spec.tokens} is less than one step of ${formatTokens(perStep)}; ${tokens < 1e3 ? `did you mean "${formatCount(tokens)}B tokens"?` : 'take more tokens or a smaller batch'}`,
    }
  return undefined
}

export const doubts = (sizes: TrainingSizes): readonly string[] => [
  ...doubtOfSequence(sizes),
  ...doubtOfLink(sizes),
  ...doubtOfPrice(sizes.spec.price),
]

function doubtOfSequence({ sequence, longestContext = Infinity }: TrainingSizes): string[] {
  if (sequence < SHORTEST_SEQUENCE) return [`sequences of ${sequence} tokens are very short; did you mean ${sequence}k?`]
  if (sequence <= longestContext) return []
  const meant = sequence > FAR_BEYOND * longestContext ? lengthSuggestion(sequence) : ''
  return [`sequences of ${sequence} tokens are longer than the ${longestContext} the model was made for${meant}`]
}

/** A user who writes 8000000 probably meant 8k. */
function lengthSuggestion(sequence: number): string {
  const thousands = sequence / 1e6
  return Number.isInteger(thousands) ? `; did you mean ${thousands}k (${formatCount(1024 * thousands)})?` : ''
}

function doubtOfLink({ spec: { fleet }, link }: TrainingSizes): string[] {
  if (fleet.link === undefined || link <= MOST_LINK) return []
  const bits = fleet.link.replace('B/s', 'b/s')
  const meant = bits === fleet.link ? '; did you mean "per node"?' : `; did you mean ${bits}?`
  return [`fleet.link: ${fleet.link} per accelerator is more than any network has${meant}`]
}

function doubtOfPrice(price: string | undefined): string[] {
  if (price === undefined || HOUR * quantityOf(price, 'USD/s') <= MOST_PRICE) return []
  return [`price: ${price} is per accelerator; a price per node is divided by the accelerators of the node`]
}

const formatCount = (value: number): string => value.toLocaleString('en')
const formatTokens = (tokens: number): string => show(quantity(tokens, 'token'), 'token')
const formatShort = (value: number): string => show(quantity(value, '1'), '1')
