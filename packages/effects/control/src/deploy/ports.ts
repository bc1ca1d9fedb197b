import type { Executor } from '@ironlaw/executors'
import type { DeploymentLimits } from '@ironlaw/policies/deployment'
import type { RolloutRule } from '@ironlaw/policies/rollout'
import type { Database } from '@ironlaw/store'
import type { ReplicaAccess } from './replica-access.ts'
import type { ReplicaCertificates } from './replica-certificates.ts'
import type { JobSecrets } from '../secrets/deliver.ts'
import type { Redaction } from '../secrets/redaction.ts'
import type { ReplicaSite } from './replica-job.ts'

/** What the reconciler of deployments works with. */
export type DeployPorts = {
  readonly database: Database
  readonly executor: Executor
  readonly site: ReplicaSite
  readonly access: ReplicaAccess
  /** Of revisions that name secrets; without it there are none. */
  readonly secrets?: JobSecrets
  readonly redaction?: Redaction
  /** Without it, replicas are reached by plain HTTP. */
  readonly certificates?: ReplicaCertificates
  readonly limits: DeploymentLimits
  /** What a deployment's own rule leaves open. */
  readonly rollout: RolloutRule
  /** Unix seconds. */
  readonly now: () => number
  readonly holder: string
}
