// The 90 % interval of a step time. It comes from stated uncertainties of what the prediction rests on, one per cause, taken as independent:
// each cause may be off by its own share, and the shares add up as squares.

import type { Setup } from './layer-time.ts'
import { divisible } from './legality.ts'
import { type Cause, CAUSES, type StepTime } from './step-time.ts'
import { devicesOf, type Strategy } from './strategy.ts'

/** One standard deviation, relative: how far each cause lay off on calibration rows, or where they cannot tell, how far its inputs may. */
const UNCERTAINTY: Readonly<Record<Cause, number>> = {
  products: 0.07,
  attention: 0.15,
  vector: 0.3,
  recompute: 0.1,
  tensor: 0.25,
  context: 0.4,
  expert: 0.35,
  launch: 0.25,
  send: 0.4,
  bubble: 0.1,
  straggler: 0.5,
  data: 0.35,
  optimizer: 0.3,
  offload: 0.4,
}

/** Software, cluster and measurement differ from run to run in ways no cause holds. */
const COMMON = 0.045
/** A borrowed silicon curve is right in shape and unsure in level. */
const BORROWED = 0.12
/** Two-sided 90 % of a normal. */
const Z90 = 1.645

/** What no calibration run shows: its causes are priced by physics alone, so the whole step is less sure. Judgement, not fit. */
const UNSEEN: readonly { readonly spread: number; readonly when: (setup: Setup, strategy: Strategy) => boolean }[] = [
  { spread: 0.16, when: ({ job }) => divisible(job).experts > 1 },
  { spread: 0.08, when: (_, { context }) => context > 1 },
  { spread: 0.15, when: ({ job }) => job.policy.compute === 'fp4' },
  { spread: 0.08, when: ({ job }) => job.sequence > 16_384 },
  { spread: 0.05, when: (_, strategy) => devicesOf(strategy) > 1024 },
  { spread: 0.1, when: ({ machine }, strategy) => strategy.shards === 'weights' && devicesOf(strategy) > 16 * machine.fabric.perNode },
]

export function stepInterval(
  setup: Setup,
  strategy: Strategy,
  { total, causes }: StepTime,
): { readonly low: number; readonly high: number } {
  const own = CAUSES.reduce((sum, cause) => sum + ((causes[cause] / total) * UNCERTAINTY[cause]) ** 2, 0)
  const unseen = UNSEEN.reduce((sum, { spread, when }) => sum + (when(setup, strategy) ? spread ** 2 : 0), 0)
  const borrowed = setup.machine.silicon.borrowed ? BORROWED ** 2 : 0
  const spread = Z90 * Math.sqrt(own + unseen + borrowed + COMMON ** 2)
  return { low: total * Math.exp(-spread), high: total * Math.exp(spread) }
}
