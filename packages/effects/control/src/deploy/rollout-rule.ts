// The rule of a deployment's rollouts: its own where it says something, else the site's.

import { isRolling, type Rollout } from '@ironlaw/contracts'
import type { DeploymentSpec } from '@ironlaw/contracts/deployment-api'
import type { RolloutRule } from '@ironlaw/policies/rollout'

/** Of known prompts that may be answered wrong, where the spec has prompts and no margin. */
const QUALITY = 0.2

export function rolloutRule(site: RolloutRule, { rollout, probes }: Pick<DeploymentSpec, 'rollout' | 'probes'>): RolloutRule {
  const { shares = site.shares, shadow_s = site.shadow_s, stage_s = site.stage_s, start_failures = site.startFailures } = rollout
  const { keep_previous_s: keepPrevious_s = site.keepPrevious_s } = rollout
  const quality = probes.length > 0 ? { quality: QUALITY } : {}
  return {
    ...site,
    shares,
    shadow_s,
    stage_s,
    startFailures: start_failures,
    keepPrevious_s,
    margins: { ...site.margins, ...quality, ...rollout.margins },
  }
}

/** Replicas of the revision that is tried: enough for its share without more load than the others have. */
export function canaryCount(rollout: Rollout | null, { shares }: Pick<RolloutRule, 'shares'>, wanted: number): number {
  if (!isRolling(rollout)) return 0
  const share = rollout.state === 'shadow' ? 0 : (shares[rollout.stage] ?? 0)
  return Math.max(1, Math.ceil(share * wanted - 1e-9))
}
