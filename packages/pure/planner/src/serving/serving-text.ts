// A serving plan, or why there is none, in the words that the command line and the console use.

import type { ServingPlan, ServingPool } from '@ironlaw/contracts'
import { seconds, show, showPercent } from '@ironlaw/units'
import { DEFAULT_PROBABILITY } from './fleet-trial.ts'
import { layoutText } from './layout.ts'
import type { PlannedServing } from './plan-serving.ts'
import type { QualityVerdict } from './quality.ts'

export const poolText = ({ role, replicas, layout }: ServingPool): string =>
  `${replicas} x ${layoutText(layout)}${role === 'all' ? '' : ` ${role}`}`

/** How many replicas carry the load, and how many are there in case one fails. */
export function carriedText({ pools, spare }: Pick<ServingPlan, 'pools' | 'spare'>): string {
  const carrying = pools.map(({ role, replicas }) => {
    const count = replicas - spare
    return `${count} ${count === 1 ? 'replica' : 'replicas'}${role === 'all' ? '' : ` for ${role}`}`
  })
  const one = pools.length === 1 && (pools[0]?.replicas ?? 0) - spare === 1
  const spares = spare === 0 ? 'no spare' : `${spare} spare${pools.length > 1 ? ' of each' : ''}`
  return `${carrying.join(' and ')} ${one ? 'carries' : 'carry'} the load, ${spares}`
}

/** Why a precision is not planned. */
export const qualityText = ({ precision, refused = '' }: QualityVerdict): string => `${precision} ${refused}`

/** Where nothing serves: what forbids it, or what comes closest. */
export function infeasibleText(objectives: ServingPlan['objectives'], { impossible, closest, quality }: PlannedServing): string {
  const { ttft_s, tpot_s, probability = DEFAULT_PROBABILITY } = objectives
  if (quality.length > 0 && quality.every(({ refused }) => refused !== undefined))
    return `no precision keeps the quality asked for: ${quality.map(qualityText).join('; ')}`
  if (closest)
    return `no shape tried holds the objectives with ${showPercent(probability, 0)} probability; ${closest.devices} x ${closest.accelerator} (${closest.pools.map(poolText).join(' + ')}, ${closest.precision}) hold them with ${showPercent(closest.prediction.probability ?? 0, 0)}. Relax an objective, or lower objectives.probability`
  if (!impossible) return 'no shape tried meets the objectives; the reasons are listed'
  return impossible.objectives
    .map((name) => {
      const asked = name === 'ttft' ? ttft_s : tpot_s
      return `${name === 'ttft' ? 'time to first token' : 'time per token'} of ${show(seconds(asked), 's')} is below the floor of ${show(impossible.floors[name].value, 's')} on ${impossible.on}: no software can meet it`
    })
    .join('; ')
}
