// Engines and trainer as one plan, for the question of the page.

import type { Catalog } from '@ironlaw/catalog'
import type { RlPlan } from '@ironlaw/contracts'
import type { RlSpec } from '@ironlaw/contracts/rl-spec'
import { type PlannedRl, planRl } from '@ironlaw/planner'
import { findDecoder } from '../decoders.ts'
import { knownPrecision } from '../known-precision.ts'
import { yamlText } from '../launch/yaml-text.ts'
import { withRest } from '../specs/spec-rest.ts'
import type { RlQuestion } from './question.ts'
import { writtenRlSpec } from './written-spec.ts'

export type RlChoices = {
  readonly models: readonly string[]
  readonly accelerators: readonly { readonly id: string; readonly name: string }[]
  readonly precisions: readonly string[]
}

export type RlAnswer = {
  readonly plans: readonly RlPlan[]
  readonly looked?: RlPlan
  readonly steps: number
  /** Why placements and divisions of the fleet are out. */
  readonly rejected: readonly string[]
  readonly warnings: readonly string[]
  /** The spec of the question, as YAML. */
  readonly yaml: string
}

export const rlSpecFor = (question: RlQuestion): RlSpec =>
  withRest<RlSpec>({ ...writtenRlSpec(question), precision: knownPrecision(question.precision) }, question.rest)

/** Selecting another plan asks the same question again. */
export function rlPlanner(catalog: Catalog): (question: RlQuestion) => RlAnswer {
  let last: { readonly key: string; readonly planned: PlannedRl } | undefined
  return (question) => {
    const key = JSON.stringify({ ...question, rank: 0 })
    const spec = rlSpecFor(question)
    const model = findDecoder(question)
    if (last?.key !== key) last = { key, planned: planRl(catalog, { spec, model }) }
    const { plans, rejected, warnings } = last.planned
    const looked = plans[Math.min(question.rank, plans.length - 1)]
    return {
      plans,
      rejected,
      warnings: [...model.warnings, ...warnings],
      steps: spec.steps,
      yaml: yamlText(spec),
      ...(looked && { looked }),
    }
  }
}
