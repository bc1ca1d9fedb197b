// What the training studio is asked: every control of the page, as the address spells it.

import { oneOf, type State, text, wholeNumber } from '../address.ts'

export const GOALS = ['time', 'cost', 'energy'] as const

export const TRAINING = {
  model: text('meta-llama/Llama-3.1-70B'),
  /** The text of a config.json that was pasted; it takes the place of the model. */
  config: text(''),
  accelerator: text('h100-sxm'),
  devices: wholeNumber(1024),
  /** Per accelerator between nodes; empty: as the catalog's node has it. */
  link: text(''),
  region: text('us-virginia'),
  tokens: wholeNumber(2_000_000_000_000),
  sequence: wholeNumber(8192),
  /** Sequences per step. */
  batch: wholeNumber(1024),
  precision: text('bf16-mixed'),
  runtime: text('megatron-core'),
  goal: oneOf(GOALS),
  /** Longest acceptable duration and most to spend, as a spec writes them; empty: no limit. */
  deadline: text(''),
  budget: text(''),
  /** Which of the plans is looked at, best first. */
  rank: wholeNumber(0),
  /** The number whose derivation is open. */
  why: text(''),
  /** The target whose export is open. */
  export: text(''),
} as const

export type TrainingState = State<typeof TRAINING>

/** What the planner must hear of; the rest only opens and closes things. */
export type TrainingQuestion = Omit<TrainingState, 'why' | 'export'>
