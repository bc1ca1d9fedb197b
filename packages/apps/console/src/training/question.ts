// The question of the training studio: every control of the page, as in the address.

import { oneOf, type State, text, wholeNumber } from '../address.ts'

export const GOALS = ['time', 'cost', 'energy'] as const

export const OPTIMIZERS = ['adam', 'adam-8bit', 'muon'] as const

export const TRAINING = {
  model: text('meta-llama/Llama-3.1-70B'),
  /** The text of a pasted config.json; it replaces the model. */
  config: text(''),
  accelerator: text('h100-sxm'),
  devices: wholeNumber(1024),
  /** Per accelerator between nodes; empty: that of the catalog node. */
  link: text(''),
  region: text('us-virginia'),
  tokens: wholeNumber(2_000_000_000_000),
  sequence: wholeNumber(8192),
  /** Sequences per step. */
  batch: wholeNumber(1024),
  precision: text('bf16-mixed'),
  optimizer: oneOf(OPTIMIZERS),
  /** Of the adapters that precision lora and qlora train. */
  loraRank: wholeNumber(16),
  loraTargets: oneOf(['all-linear', 'attention']),
  method: oneOf(['next-token', 'dpo']),
  /** Mean tokens of a document; 0: every sequence is one. */
  documents: wholeNumber(0),
  packing: oneOf(['packed', 'padded']),
  optimizerOn: oneOf(['planned', 'device', 'host', 'nvme']),
  runtime: text('megatron-core'),
  goal: oneOf(GOALS),
  /** Maximum duration and cost, as in a spec; empty: no limit. */
  deadline: text(''),
  budget: text(''),
  /** For 1,000 days of a node; 0: as published. */
  failures: wholeNumber(0),
  restart: oneOf(['job', 'in-process']),
  checkpointTo: oneOf(['storage', 'peers']),
  /** What an opened spec says beside the controls. */
  rest: text(''),
  /** The selected plan, by rank. */
  rank: wholeNumber(0),
  /** The number whose derivation is open. */
  why: text(''),
  /** The target whose export is open. */
  export: text(''),
} as const

export type TrainingState = State<typeof TRAINING>

/** Fields that the planner needs; the others only open and close parts of the page. */
export type TrainingQuestion = Omit<TrainingState, 'why' | 'export'>
