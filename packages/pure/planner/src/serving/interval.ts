// The 90 % interval of a prediction, by what is predicted; wider for experts and where the silicon curve is borrowed.

import type { ReplicaDesign } from './replica-design.ts'

/** One standard deviation of the logarithm, set so that about nine in ten calibration rows lie inside. */
const SPREAD = { tpot_s: 0.18, output_tokens_per_s: 0.25, input_tokens_per_s: 0.25 } as const
/**
 * Of the part of a first token that is not the prompt's own steps: queues, the host and the client, which no kernel explains. Calibration rows
 * of which the prompt is a tenth are off by 0.6, those of which it is nine tenths by 0.15.
 */
const AROUND_PROMPT = 0.6
const EXPERTS = 0.1
const BORROWED = 0.15
/** An engine of which no row was measured, or not on accelerators of this maker; by judgement, a factor of 1.6 either way. */
const UNFITTED = 0.3
const MEASURED_VENDOR = 'NVIDIA'
/** Two-sided 90 % of a normal. */
const Z90 = 1.645

export type ServingMetric = keyof typeof SPREAD

/** One standard deviation of the logarithm of measured over predicted. */
export function servingSpread({ architecture, machine, runtime }: ReplicaDesign, metric: ServingMetric): number {
  const experts = architecture.groups.some(({ layers }) => layers.some(({ kind }) => kind === 'moe')) ? EXPERTS : 0
  const borrowed = machine.borrowed ? BORROWED : 0
  const unfitted = runtime.unfitted || machine.vendor !== MEASURED_VENDOR ? UNFITTED : 0
  return Math.hypot(SPREAD[metric], experts, borrowed, unfitted)
}

export type FirstToken = {
  /** The prompt's steps, alone on the replica. */
  readonly prompt_s: number
  /** All that passes before the first token. */
  readonly ttft_s: number
}

/** What else of a first token may be off, beside the steps: one standard deviation of the logarithm. */
export const aroundPrompt = ({ prompt_s, ttft_s }: FirstToken): number => AROUND_PROMPT * (1 - Math.min(1, prompt_s / ttft_s))

/** One standard deviation of the logarithm of measured over predicted. */
export const firstTokenSpread = (replica: ReplicaDesign, first: FirstToken): number =>
  Math.hypot(servingSpread(replica, 'tpot_s'), aroundPrompt(first))

const HALVINGS = 40

/** The longest first token that stays within the objective when it takes as much longer as so many standard deviations of its error. */
export function firstTokenWithin(
  replica: ReplicaDesign,
  asked: { readonly objective_s: number; readonly prompt_s: number; readonly z: number },
): number {
  const { objective_s, prompt_s, z } = asked
  const endured = (ttft_s: number): number => ttft_s * Math.exp(z * firstTokenSpread(replica, { prompt_s, ttft_s }))
  let [low, high] = [0, objective_s]
  for (let round = 0; round < HALVINGS; round += 1) {
    const middle = (low + high) / 2
    if (endured(middle) <= objective_s) low = middle
    else high = middle
  }
  return low
}

type Interval = { readonly low: number; readonly high: number }

const around = (value: number, spread: number): Interval => ({ low: value * Math.exp(-Z90 * spread), high: value * Math.exp(Z90 * spread) })

export const servingInterval = (replica: ReplicaDesign, metric: ServingMetric, value: number): Interval =>
  around(value, servingSpread(replica, metric))

export const firstTokenInterval = (replica: ReplicaDesign, first: FirstToken): Interval =>
  around(first.ttft_s, firstTokenSpread(replica, first))
