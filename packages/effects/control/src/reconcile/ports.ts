import type { RunLimits } from '@ironlaw/policies/run'
import type { Executor } from '@ironlaw/executors'
import type { Database } from '@ironlaw/store'
import type { JobSecrets } from '../secrets/deliver.ts'
import type { Redaction } from '../secrets/redaction.ts'
import type { StorageAway } from '../storage/shared-storage.ts'
import type { RunStorage } from './run-storage.ts'
import type { Site } from './site.ts'

/** What a reconciler works with; each part is passed in, so that a simulated one takes its place without the code knowing. */
export type ReconcilePorts = {
  readonly database: Database
  readonly executor: Executor
  /** What the executor's nodes are filed under. */
  readonly cluster: string
  readonly site: Site
  readonly storage: RunStorage
  readonly limits: RunLimits
  /** How long a round waits for the executor before it decides, without it, about runs that have failed. */
  readonly patience_ms: number
  /** Unix seconds. */
  readonly now: () => number
  /** Who holds the leases: unique per process. */
  readonly holder: string
  /** Puts the run's token where its agents find it. Called before every submission; does nothing when it is there. */
  /** Of programs that name secrets; without it there are none. */
  readonly secrets?: JobSecrets
  readonly redaction?: Redaction
  readonly provideToken: (run: string) => Promise<StorageAway | undefined>
}
