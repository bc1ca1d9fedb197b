// What was decided about versions before they were rolled out, joined with how their rollouts ended.

import type { Releases, VersionOutcome } from '@ironlaw/contracts/model-registry'
import { hasEvidence, type OfflineDecision, offlineDecision, releaseRecord } from '@ironlaw/policies/release'
import { type Database, decisionsOfVersions, rolloutsOfVersions, type VersionRollout, versionNames } from '@ironlaw/store'
import { decisionView } from './model-views.ts'

/** Years of releases. The summary is over these. */
const MOST_ROLLOUTS = 1000

type ReleasesAsked = { readonly project: string; readonly limit: number }

export async function projectReleases(database: Database, { project, limit }: ReleasesAsked): Promise<Releases> {
  const rollouts = await rolloutsOfVersions(database, { project, limit: MOST_ROLLOUTS })
  const ids = [...new Set(rollouts.map(({ version }) => version))]
  const [decisions, names] = await Promise.all([
    decisionsOfVersions(database, project, ids),
    versionNames(database, { project, ids, limit: 1 }),
  ])
  const outcomes = rollouts.flatMap((rollout) => {
    const decision = offlineDecision((decisions.get(rollout.version) ?? []).map(decisionView), rollout.created_at)
    if (!decision || !hasEvidence(decision)) return []
    return [outcomeOf(rollout, { decision, names: names.get(rollout.version) ?? [] })]
  })
  return { items: outcomes.slice(0, limit), summary: releaseRecord(outcomes), unjudged: rollouts.length - outcomes.length }
}

type OfVersion = { readonly decision: OfflineDecision; readonly names: readonly string[] }

const outcomeOf = (
  { deployment, revision, version, ended, ended_at, why, ordered_by }: VersionRollout,
  { decision, names }: OfVersion,
): VersionOutcome => ({
  deployment,
  revision,
  version,
  names: [...names],
  offline: decision.answer,
  decision: { number: decision.number, rule: decision.rule, at: decision.at, by: decision.by },
  production: ended === 'rollout-promoted' ? 'promoted' : 'rolled-back',
  ended_at,
  why,
  ...(ordered_by !== null && { ordered_by }),
})
