// How much longer the steps of engines took than they were calibrated to.

import { engineSteps } from '@ironlaw/policies/serving'
import { measuredCost, type MeasuredEngine } from '@ironlaw/simulator/serving'
import type { RunningEngine } from './bed.ts'

export type TimeWindow = { readonly from_s: number; readonly until_s: number }

/** Measured over calibrated seconds of all steps that engines took in this spell. */
export function stepRatio(engines: readonly RunningEngine[], { costs }: MeasuredEngine, { from_s, until_s }: TimeWindow): number {
  const cost = measuredCost(costs)
  let [measured, calibrated] = [0, 0]
  for (const { times } of engines) {
    const answers = times().filter(({ at_s }) => at_s >= from_s)
    for (const step of engineSteps(answers.map((each) => ({ ...each, prompt: each.prompt.length })))) {
      if (step.until_s > until_s) continue
      measured += step.until_s - step.from_s
      calibrated += cost(step)
    }
  }
  return measured / calibrated
}
