// A deployment keeps a serving plan's replicas running behind a gateway. A revision is one immutable answer to "what serves": the
// model's files, the engine and its arguments; its number rises and is never given out twice. A replica is one job of one revision.

import type { DeviceRequest } from './run-shape.ts'

export type Revision = {
  readonly number: number
  readonly planId?: string
  readonly model: string
  /** Artifact of the model that it serves; `digest` is the SHA-256 of its model-version.json, which has those of the files. */
  readonly version?: { readonly artifact: string; readonly digest: string }
  readonly argv: readonly string[]
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  /** Variables of the engine, each with the name of a secret of the project. */
  readonly secrets?: Readonly<Record<string, string>>
  readonly processesPerReplica: number
  /** Accelerators that a replica holds alone. */
  readonly devices?: DeviceRequest
  /** Requests that one replica takes at once. */
  readonly maxRunning: number
  readonly createdAt: number
}

/** `warm`: of the revision that served before, ready and without requests, so that there is a way back within seconds. */
export const REPLICA_STATES = ['submitting', 'starting', 'serving', 'warm', 'draining', 'stopping', 'gone'] as const

export type ReplicaState = (typeof REPLICA_STATES)[number]

export const REPLICA_ENDS = ['drained', 'job-ended', 'start-timeout', 'unhealthy', 'refused'] as const

/** Why a replica is gone: on request, or by itself. */
export type ReplicaEnd = (typeof REPLICA_ENDS)[number]

export type Replica = {
  /** The job's key at the executor as well. */
  readonly id: string
  readonly revision: number
  readonly state: ReplicaState
  readonly since: number
  readonly submittedAt: number
  /** When its job was first seen running: until then it waited for a machine. */
  readonly startedAt?: number
  /** Nodes that its job stays away from: others of the deployment are there. */
  readonly excluded?: readonly string[]
  /** Its accelerators by the cluster's name. */
  readonly deviceKind?: string
  /** What its job proves itself with when it says where it is. Never shown. */
  readonly token?: string
  /** It is served by an engine host of ours, which proves with every readiness that it holds the token. */
  readonly proves?: boolean
  /** Where it answers, once it has said so. */
  readonly url?: string
  readonly readyAt?: number
  readonly end?: ReplicaEnd
  readonly detail?: string
}

export const DEPLOYMENT_STATES = ['starting', 'serving', 'degraded', 'removing', 'removed'] as const

export type DeploymentState = (typeof DEPLOYMENT_STATES)[number]

export const ROLLOUT_STATES = ['shadow', 'canary', 'paused', 'promoted', 'rolled-back'] as const

export type RolloutState = (typeof ROLLOUT_STATES)[number]

export type Rollout = {
  /** The revision that is tried; once promoted, the one that serves. */
  readonly revision: number
  /** The one that serves everybody else meanwhile; once the other is promoted, the one that served before. */
  readonly stable: number
  readonly state: RolloutState
  /** Index into the shares of the rule. */
  readonly stage: number
  readonly since: number
  /** Asked for by a person, and not carried out yet. */
  readonly asked?: 'promote' | 'rollback'
  readonly why?: string
}

export const isRolling = (rollout: Rollout | null | undefined): rollout is Rollout =>
  rollout !== null && rollout !== undefined && rollout.state !== 'promoted' && rollout.state !== 'rolled-back'

/** The revision that served before the one that does, which is the way back. */
export const previousRevision = ({ rollout, stable }: { readonly rollout: Rollout | null; readonly stable: number }): number | undefined =>
  rollout?.state === 'promoted' && rollout.revision === stable && rollout.stable !== stable ? rollout.stable : undefined

/** A pool of the gateways' configuration: the replicas of one revision. */
export const poolName = (deployment: string, revision: number): string => `${deployment}@${revision}`

/** As many replicas of the revision that serves as try the new one: what that is compared with. */
export const controlPoolName = (deployment: string, revision: number): string => `${poolName(deployment, revision)}-control`
