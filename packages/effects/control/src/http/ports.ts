import type { Database } from '@ironlaw/store'
import type { FastifyBaseLogger, FastifyInstance, RawReplyDefaultExpression, RawRequestDefaultExpression, RawServerDefault } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { FleetAccess } from '../fleet/nodes.ts'
import type { ReplicaLogs } from '../deploy/replica-logs.ts'
import type { RunLogs } from '../runs/run-logs.ts'
import type { Metrics } from './metrics.ts'

/** What the handlers work with. */
export type ApiPorts = {
  readonly database: Database
  readonly fleet: FleetAccess
  readonly logs: RunLogs
  readonly replicaLogs: ReplicaLogs
  readonly metrics: Metrics
  /** Calls to shared storage that hang. */
  readonly hanging: () => number
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
