// The 90 % interval of a step time. It comes from stated uncertainties of what the prediction rests on, one per cause, taken as independent:
// each cause may be off by its own share. Shares of causes that are off together add up, the rest as squares.

import { STEP_CAUSE_INFO, STEP_CAUSES, type StepCause } from '@ironlaw/contracts'
import type { OwnMeasurements } from '../../machine/silicon.ts'
import type { Setup } from '../job.ts'
import { divisionLimits } from '../search/legality.ts'
import type { StepTime } from './timed-step.ts'
import { devicesOf, type Strategy } from '../strategy.ts'

/** One standard deviation, relative: how far each cause lay off on calibration rows, or where they cannot tell, how far its inputs may. */
const UNCERTAINTY: Readonly<Record<StepCause, number>> = {
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
/** The one published run on an accelerator of another maker that was compared, an MI355X of MLPerf, lay 26 % off before its products were derated. */
const UNSEEN_SILICON = 0.2
/**
 * Software without a calibration row, priced as another: dense calibration rows priced as Megatron-Core, which they are not, lie 10.5 % off (root
 * mean square of 27) where 8.4 % is stated.
 */
const OTHER_SOFTWARE = 0.07
/** Nine calibration rows with experts lie 28 % off; what the causes and the rest state leaves this much. */
const EXPERTS = 0.25
/** Two-sided 90 % of a normal. */
const Z90 = 1.645

/** What no calibration run shows: its causes are priced by physics alone, so the whole step is less sure. Judgement, not fit. */
const UNSEEN: readonly { readonly spread: number; readonly when: (setup: Setup, strategy: Strategy) => boolean }[] = [
  { spread: 0.08, when: (_, { context }) => context > 1 },
  { spread: 0.15, when: ({ job }) => job.policy.compute === 'fp4' },
  { spread: 0.08, when: ({ job }) => job.sequence > 16_384 },
  { spread: 0.05, when: (_, strategy) => devicesOf(strategy) > 1024 },
  { spread: 0.1, when: ({ machine }, strategy) => strategy.shards === 'weights' && devicesOf(strategy) > 16 * machine.fabric.perNode },
]

/** Recomputing is the same products again and a bubble is waiting for them; exchanges go over the same links. Others are off on their own. */
const CORRELATED_CAUSES: readonly (readonly StepCause[])[] = [
  ['products', 'recompute', 'bubble'],
  ['tensor', 'context', 'expert', 'send', 'data'],
]
const INDEPENDENT_CAUSES = STEP_CAUSES.filter((cause) => !CORRELATED_CAUSES.some((causes) => causes.includes(cause)))

const ownVariance = ({ total, causes }: StepTime): number =>
  [...CORRELATED_CAUSES, ...INDEPENDENT_CAUSES.map((cause) => [cause])].reduce(
    (sum, together) => sum + together.reduce((off, cause) => off + (causes[cause] / total) * UNCERTAINTY[cause], 0) ** 2,
    0,
  )

/** What belongs to one class is off together: the shares of a class add up before they are squared. */
function measuredVariance({ spread }: OwnMeasurements, { total, causes }: StepTime): number {
  const off = { compute: 0, communication: 0, optimizer: 0 }
  for (const cause of STEP_CAUSES) {
    const kind = STEP_CAUSE_INFO[cause].workClass
    off[kind] += (causes[cause] / total) * (spread[kind] ?? UNCERTAINTY[cause])
  }
  return off.compute ** 2 + off.communication ** 2 + off.optimizer ** 2
}

export function stepInterval(setup: Setup, strategy: Strategy, step: StepTime): { readonly low: number; readonly high: number } {
  const { total } = step
  const { measured, borrowed: scaled, unseen: foreign } = setup.machine.silicon
  const own = measured ? measuredVariance(measured, step) : ownVariance(step)
  const unseen = UNSEEN.reduce((sum, { spread, when }) => sum + (when(setup, strategy) ? spread ** 2 : 0), 0)
  const borrowed =
    (foreign ? UNSEEN_SILICON ** 2 : scaled ? BORROWED ** 2 : 0) + (setup.machine.runtime.borrowed === true ? OTHER_SOFTWARE ** 2 : 0)
  const experts = divisionLimits(setup.job).experts > 1 ? EXPERTS ** 2 : 0
  const spread = Z90 * Math.sqrt(own + unseen + borrowed + experts + COMMON ** 2 / (1 + (measured?.runs ?? 0)))
  return { low: total * Math.exp(-spread), high: total * Math.exp(spread) }
}
