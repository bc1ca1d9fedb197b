// The operators of the model against the roofs of one device, for the forward pass of one microbatch: what binds each, and its least
// possible time. A floor, because no kernel reaches either roof.

import { accelerator as acceleratorOf, type Catalog, peak } from '@ironlaw/catalog'
import { explain } from '@ironlaw/laws'
import { overlapped } from '@ironlaw/laws/iron-law/iron-law'
import { attainable, ridgePoint } from '@ironlaw/laws/roofline/roofline'
import { type Operator, operatorList } from '@ironlaw/models'
import type { Strategy, TrainingPlanInputs } from '@ironlaw/planner'
import { quantity } from '@ironlaw/units'
import type { OperatorPoint, RooflinePicture } from './answer.ts'

export function rooflinePicture(
  catalog: Catalog,
  { job, accelerator }: Omit<TrainingPlanInputs, 'keep'>,
  { microbatch }: Strategy,
): RooflinePicture {
  const device = acceleratorOf(catalog, accelerator)
  const roof = peak(device, job.policy.compute) ?? peak(device, 'bf16') ?? peak(device, 'fp16')
  if (!roof) throw new Error(`${accelerator} was planned without a peak`)
  const bandwidth = device.facts.memory.bandwidth
  const { activation } = job.policy
  const operators = operatorList(job.architecture, {
    batch: microbatch,
    tokens: job.sequence,
    context: 0,
    precision: { weight: activation, activation, cache: activation },
  })
  return {
    peak: roof,
    bandwidth,
    ridge: explain(ridgePoint, { peakFlops: roof, memoryBandwidth: bandwidth }),
    operators: operators
      .filter(({ forward }) => forward > 0)
      .map((each) => pointOf(each, { peakFlops: roof.value, memoryBandwidth: bandwidth.value })),
  }
}

type Roofs = Pick<Parameters<typeof overlapped.of>[0], 'peakFlops' | 'memoryBandwidth'>

function pointOf(each: Operator, roofs: Roofs): OperatorPoint {
  const bytesMoved = quantity(each.weightBytes + each.readBytes + each.writtenBytes, 'B')
  const intensity = quantity(each.forward / bytesMoved, 'FLOP/B')
  return {
    name: `${each.group} ${each.name}`,
    intensity,
    attainable: attainable.of({ intensity, ...roofs }),
    time_s: each.count * overlapped.of({ bytesMoved, flops: each.forward, ...roofs }),
    bound: intensity * roofs.memoryBandwidth < roofs.peakFlops ? 'memory' : 'compute',
  }
}
