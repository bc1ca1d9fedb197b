// The 90 % interval of a prediction, by what is predicted; wider for experts and where the silicon curve is borrowed.

import type { ReplicaDesign } from './replica-design.ts'

/** One standard deviation of the logarithm, set so that about nine in ten calibration rows lie inside. First tokens carry queues that no kernel explains. */
const SPREAD = { ttft_s: 0.6, tpot_s: 0.18, output_tokens_per_s: 0.25, input_tokens_per_s: 0.25 } as const
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

export function servingInterval(
  replica: ReplicaDesign,
  metric: ServingMetric,
  value: number,
): { readonly low: number; readonly high: number } {
  const spread = Z90 * servingSpread(replica, metric)
  return { low: value * Math.exp(-spread), high: value * Math.exp(spread) }
}
