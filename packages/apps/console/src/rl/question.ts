// The question of the studio for reinforcement learning: every control of the page, as in the address.

import { oneOf, type State, text, wholeNumber } from '../address.ts'

export const RL = {
  model: text('Qwen/Qwen3-8B'),
  config: text(''),
  accelerator: text('h100-sxm'),
  devices: wholeNumber(64),
  algorithm: oneOf(['grpo', 'ppo']),
  steps: wholeNumber(500),
  prompts: wholeNumber(256),
  samples: wholeNumber(8),
  promptTokens: wholeNumber(500),
  /** Mean tokens of an answer, and where it is cut. */
  answerTokens: wholeNumber(2000),
  longest: wholeNumber(8192),
  placement: oneOf(['faster', 'colocated', 'separate']),
  /** Steps by which the weights that generate may lag behind. */
  staleness: wholeNumber(0),
  precision: text('bf16-mixed'),
  engine: oneOf(['vllm', 'sglang', 'tensorrt-llm']),
  /** What an opened spec says beside the controls. */
  rest: text(''),
  rank: wholeNumber(0),
} as const

export type RlQuestion = State<typeof RL>
