// Every figure of a plan with what it comes from.

import { accelerator as acceleratorOf, type Catalog, usableMemory } from '@ironlaw/catalog'
import { explain } from '@ironlaw/laws'
import { mfu } from '@ironlaw/laws/compute/efficiency'
import { givenValue, type Known, quantity, sourcedValue } from '@ironlaw/units'
import { economicsOf } from '../../economics.ts'
import { explainedFit, explainedMemory } from './explained-memory.ts'
import { explainedStep } from './explained-step.ts'
import { peakOf } from '../../machine/peak.ts'
import type { PlannedTraining } from '../plan-training.ts'
import type { TrainingRequest } from '../request/training-request.ts'
import { stepFlops } from '../time/utilization.ts'

/** By the name of the figure; the causes of a step under their own. */
export function explainedPlan(
  catalog: Catalog,
  { machine, wanted }: TrainingRequest,
  { plan, candidate: { strategy }, step }: PlannedTraining,
): Readonly<Record<string, Known>> {
  const setup = { machine, job: wanted.job }
  const stepTime = explainedStep(setup, strategy, step)
  const duration = durationOf(plan.prediction.duration_s, wanted, stepTime)
  const economics = economicsOf(catalog, {
    accelerator: wanted.accelerator,
    devices: wanted.fleet.devices,
    duration,
    ...(wanted.price && { price: wanted.price }),
    ...(wanted.region !== undefined && { region: wanted.region }),
  })
  const device = acceleratorOf(catalog, wanted.accelerator)
  const peakFlops = peakOf(device, wanted.job.policy)
  const flops = sourcedValue(stepFlops(wanted.job, strategy).model, 'FLOP', {
    ref: "counted from the model's operators: forward and backward, nothing recomputed",
    asOf: 'one step',
  })
  const causes = stepTime.by.kind === 'law' ? stepTime.by.from : {}
  return {
    step: stepTime,
    memory: explainedMemory(setup, strategy),
    fit: explainedFit(setup, strategy, usableMemory(device)),
    time: duration,
    ...(economics.cost && { cost: economics.cost }),
    energy: economics.energy,
    ...(economics.carbon && { carbon: economics.carbon }),
    ...(economics.embodied && { embodied: economics.embodied }),
    ...(peakFlops && { mfu: explain(mfu, { flops, devices: givenValue(plan.fleet.devices, '1'), peakFlops, stepTime }) }),
    ...Object.fromEntries(Object.entries(causes).flatMap(([cause, known]) => (isOne(known) ? [[cause, known]] : []))),
  }
}

const isOne = (known: Known | readonly Known[]): known is Known => !Array.isArray(known)

const durationOf = (value: number, { tokens, job }: TrainingRequest['wanted'], step: Known<'s'>): Known<'s'> => ({
  value: quantity(value, 's'),
  unit: 's',
  by: {
    kind: 'law',
    law: 'planner/duration',
    output: 'duration',
    is: 'tokens / (batch * sequence) * step',
    from: {
      tokens: givenValue(tokens, 'token'),
      batch: givenValue(job.globalBatch, '1'),
      sequence: givenValue(job.sequence, 'token'),
      step,
    },
    outside: [],
  },
})
