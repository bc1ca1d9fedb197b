// What the serving studio is asked: every control of the page, as the address spells it.

import { oneOf, type State, text, whole } from '../address.ts'

export const SERVING = {
  model: text('meta-llama/Llama-3.1-70B'),
  config: text(''),
  /** Empty: any that was measured. */
  accelerator: text(''),
  /** Requests a second at the peak, in hundredths. */
  rate: whole(2000),
  input: whole(1000),
  output: whole(250),
  /** Per cent of prompt tokens found in the prefix cache. */
  cached: whole(0),
  ttft_ms: whole(500),
  tpot_ms: whole(40),
  percentile: oneOf(['p90', 'mean', 'p50', 'p99']),
  engine: oneOf(['vllm', 'sglang', 'tensorrt-llm']),
  cache: oneOf(['bf16', 'fp8']),
  spare: whole(1),
  goal: oneOf(['cost', 'devices']),
  split: oneOf(['allowed', 'never', 'only']),
  /** Traffic at the quietest hour, per cent of the peak. */
  night: whole(30),
  rank: whole(0),
  /** The number whose derivation is open. */
  why: text(''),
  export: text(''),
} as const

export type ServingState = State<typeof SERVING>

export type ServingQuestion = Omit<ServingState, 'export' | 'night' | 'why'>

export const rateOf = ({ rate }: Pick<ServingState, 'rate'>): number => rate / 100
