import type { Authority } from '@ironlaw/certificates'
import type { AuditSinkView } from '@ironlaw/contracts/audit-api'
import type { Database } from '@ironlaw/store'
import type { FastifyBaseLogger, FastifyInstance, RawReplyDefaultExpression, RawRequestDefaultExpression, RawServerDefault } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { SiteArtifacts } from '../artifacts/site-artifacts.ts'
import type { FleetAccess } from '../fleet/nodes.ts'
import type { ReplicaLogs } from '../deploy/replica-logs.ts'
import type { RunLogs } from '../runs/run-logs.ts'
import type { ProjectSecrets } from '../secrets/project-secrets.ts'
import type { Redaction } from '../secrets/redaction.ts'
import type { Metrics } from './metrics.ts'

/** What the handlers work with. */
export type ApiPorts = {
  readonly database: Database
  readonly fleet: FleetAccess
  readonly logs: RunLogs
  readonly replicaLogs: ReplicaLogs
  readonly secrets: ProjectSecrets
  readonly redaction: Redaction
  readonly artifacts: SiteArtifacts
  readonly metrics: Metrics
  /** Calls to shared storage that hang. */
  readonly hanging: () => number
  /** Where the audit trail is sent. */
  readonly auditSinks: () => readonly AuditSinkView[]
  /** Of the site; made when it is first needed. */
  readonly authority: () => Promise<Authority>
  /** Host names of the control plane, which nobody else gets a certificate for. */
  readonly ownNames: () => readonly string[]
  /** Unix seconds. */
  readonly now: () => number
  /** Something happened that the reconciler should look at without waiting for its turn. */
  readonly onWake: () => void
  /** Aborted when the server stops, to disconnect clients that watch events. */
  readonly closing: AbortSignal
}

export type Api = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>
