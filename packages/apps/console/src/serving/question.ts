// The question of the serving studio: every control of the page, as in the address.

import { oneOf, type State, text, wholeNumber } from '../address.ts'

export const SPECULATIONS = ['none', 'mtp', 'eagle3', 'eagle', 'draft', 'ngram'] as const

export const SERVING = {
  model: text('meta-llama/Llama-3.1-70B'),
  config: text(''),
  /** Empty: any with measurements. */
  accelerator: text(''),
  /** Requests a second at the peak, in hundredths. */
  rate: wholeNumber(2000),
  input: wholeNumber(1000),
  output: wholeNumber(250),
  /** Percentage of prompt tokens found in the prefix cache. */
  cached: wholeNumber(0),
  ttft_ms: wholeNumber(500),
  tpot_ms: wholeNumber(40),
  percentile: oneOf(['p90', 'mean', 'p50', 'p99']),
  /** That the objectives hold, as a percentage. */
  probability: wholeNumber(90),
  engine: oneOf(['vllm', 'sglang', 'tensorrt-llm']),
  cache: oneOf(['bf16', 'fp8']),
  spare: wholeNumber(1),
  goal: oneOf(['cost', 'devices']),
  split: oneOf(['allowed', 'never', 'only']),
  /** Traffic at the quietest hour, as a percentage of the peak. */
  night: wholeNumber(30),
  speculation: oneOf(SPECULATIONS),
  drafted: wholeNumber(3),
  /** Chance that a drafted token is kept, as a percentage; 0: as published. */
  acceptance: wholeNumber(0),
  /** The model that drafts, for speculation by one. */
  draft: text(''),
  /** LoRA adapters that are served. */
  adapters: wholeNumber(0),
  adapterRank: wholeNumber(16),
  /** Memory of the host and of its drive for the cache, in GB of each device; 0: none. */
  offloadHost: wholeNumber(0),
  offloadDrive: wholeNumber(0),
  /** Time after which a prompt comes back. */
  reuse_s: wholeNumber(300),
  /** Fixed in advance; 0: as planned. */
  tensor: wholeNumber(0),
  copies: wholeNumber(0),
  /** What an opened spec says beside the controls. */
  rest: text(''),
  rank: wholeNumber(0),
  /** The number whose derivation is open. */
  why: text(''),
  export: text(''),
} as const

export type ServingState = State<typeof SERVING>

export type ServingQuestion = Omit<ServingState, 'export' | 'night' | 'why'>

export const rateOf = ({ rate }: Pick<ServingState, 'rate'>): number => rate / 100
