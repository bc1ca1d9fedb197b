// What copies of requests showed: the new revision's answers compared with those that clients got.

import type { DeploymentView } from '@ironlaw/contracts/deployment-api'
import type { CanaryEvidence } from '@ironlaw/policies/rollout'

type OutputsView = NonNullable<NonNullable<DeploymentView['rollout']>['outputs']>

/** Undefined before there were two answers to one request. */
export function outputsView(evidence: CanaryEvidence | undefined): OutputsView | undefined {
  if (!evidence || evidence.outputs.pairs === 0) return undefined
  const { pairs, lengthLogSum, compared, same, agreed } = evidence.outputs
  const shares = compared === 0 ? { same: 0, agreement: 0 } : { same: same / compared, agreement: agreed / compared }
  return { pairs, length_ratio: Math.exp(lengthLogSum / pairs), compared, ...shares }
}
