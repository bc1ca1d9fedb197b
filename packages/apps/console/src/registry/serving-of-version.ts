// Which deployments serve a version, try it, or served it before.

import type { DeploymentView } from '@ironlaw/contracts/deployment-api'

export type VersionServing = {
  readonly deployment: string
  readonly revision: number
  readonly as: 'serves' | 'is tried' | 'served before'
  readonly state: DeploymentView['state']
  /** SHA-256 of the model-version.json that its engines compare their files with. */
  readonly digest: string
}

type Deployed = Pick<DeploymentView, 'name' | 'state' | 'stable' | 'rollout' | 'revisions'>

const OVER: ReadonlySet<string> = new Set(['promoted', 'rolled-back'])

/** Of each deployment what is nearest to its clients. */
export function servingOf(artifact: string, deployments: readonly Deployed[]): readonly VersionServing[] {
  return deployments
    .filter(({ state }) => state !== 'removed')
    .flatMap(({ name, state, stable, rollout, revisions }): VersionServing[] => {
      const own = revisions.filter(({ version }) => version?.artifact === artifact)
      const tried = rollout && !OVER.has(rollout.state) ? rollout.revision : undefined
      const revision = own.find(({ number }) => number === stable) ?? own.find(({ number }) => number === tried) ?? own.at(-1)
      if (!revision?.version) return []
      const as = revision.number === stable ? 'serves' : revision.number === tried ? 'is tried' : 'served before'
      return [{ deployment: name, revision: revision.number, as, state, digest: revision.version.digest }]
    })
}
