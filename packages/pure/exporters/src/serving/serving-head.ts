// What every exported serving text says of itself.

import type { ServingPlan, ServingPool } from '@ironlaw/contracts'
import { quantity, show } from '@ironlaw/units'
import { oneLine } from '../exported.ts'

export function servingHead(plan: ServingPlan): readonly string[] {
  const { ttft_s, tpot_s, capacity_requests_per_s } = plan.prediction
  const { percentile } = plan.objectives
  return [
    `Ironlaw ${plan.id}: ${oneLine(plan.name)}`,
    `${oneLine(plan.model.name)} in ${plan.precision} on ${plan.devices} x ${oneLine(plan.accelerator)}`,
    `Predicted: ${percentile} of first token ${show(quantity(ttft_s, 's'), 's')}, of each further ${show(quantity(tpot_s, 's'), 's')}, up to ${capacity_requests_per_s.toPrecision(3)} requests/s without spares`,
  ]
}

export const poolLine = ({ replicas, role, devicesPerReplica }: ServingPool): string =>
  `# ${counted(replicas, 'replica')}${role === 'all' ? '' : ` for ${role}`}, ${counted(devicesPerReplica, 'device')} each`

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
