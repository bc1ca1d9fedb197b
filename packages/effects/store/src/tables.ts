// The tables as the migrations leave them. A column that ends in `_at` is unix seconds, in `_s` seconds.

import type { QuotaLedger } from '@ironlaw/contracts/gateway-quota'
import type {
  Allocation,
  Attempt,
  AttemptOutcome,
  DeploymentState,
  Grant,
  Json,
  Program,
  ProjectRole,
  Replica as ReplicaBody,
  Revision,
  Rollout,
  RunState,
} from '@ironlaw/contracts'
import type { ArtifactType } from '@ironlaw/contracts/artifact'
import type { DeploymentSpec } from '@ironlaw/contracts/deployment-api'
import type { GatewaySync } from '@ironlaw/contracts/gateway-sync'
import type { BookCounts, BookedCause } from '@ironlaw/contracts/ledger-fleet'
import type { Decision, DecisionAnswer } from '@ironlaw/contracts/model-registry'
import type { NodeEnvironment, Packages } from '@ironlaw/contracts/run-origin'
import type { Beat, CheckpointRow, Exit, Rates, Reading, StepRow } from '@ironlaw/contracts/report'
import type { ColumnType, Generated, GeneratedAlways, JSONColumnType, Selectable } from 'kysely'
import type { ProfileTables } from './profile-tables.ts'

export type JsonObject = { readonly [key: string]: Json | undefined }

type JsonColumn<T extends object | null> = JSONColumnType<T>
type Optional<T> = ColumnType<T | null, T | null | undefined, T | null>

type Principals = {
  id: string
  name: string
  role: 'person' | 'gateway' | 'run'
  token_hash: string
  run_id: Optional<string>
  gateway_id: Optional<string>
  created_at: number
  revoked_at: Optional<number>
  /** Of a person. */
  grants: ColumnType<readonly Grant[], string | undefined, string>
  expires_at: Optional<number>
  /** To the minute. */
  last_used_at: Optional<number>
  /** Of the secret before the last rotation, valid until `old_until_at`. */
  old_hash: Optional<string>
  old_until_at: Optional<number>
  /** Who made the token, or gave it its secret since. */
  issued_by: Optional<string>
}

type PlanProjects = { plan_id: string; project: string }

type TeamsDocuments = { number: number; body: JsonColumn<JsonObject>; etag: string; created_at: number }

/** `subject` is the id of a run or a replica. */
export type JobUserRows = { subject: string; name: string; account: string | null; qos: string | null; created_at: number }

export type LoginCodes = { code_hash: string; principal_id: string; sealed: string; expires_at: number }

export type Secrets = {
  project: string
  name: string
  version: number
  /** Null once it was deleted. */
  sealed: string | null
  /** The key that wraps its data key. */
  key_id: string | null
  created_at: number
  created_by: string
}

export type Sessions = {
  id: string
  secret_hash: string
  kind: 'console' | 'command-line'
  issuer: string
  subject: string
  name: string
  /** As the provider said when the person signed in. */
  groups: JsonColumn<readonly string[]>
  issued_at: number
  expires_at: number
  last_used_at: number
}

type Plans = { id: string; kind: string; body: JsonColumn<JsonObject>; created_at: number }

type Runs = {
  id: string
  name: string
  project: string
  team: Generated<string>
  plan_id: string
  spec: JsonColumn<JsonObject>
  program: JsonColumn<Program>
  state: RunState
  state_since_at: number
  desired: 'run' | 'cancel'
  attempt: number
  /** Why it waits, in one sentence. */
  wait_reason: Optional<string>
  verdict: ColumnType<AttemptOutcome | null, string | undefined, string | null>
  version: number
  created_at: number
  created_by: string
  ended_at: Optional<number>
  /** Attempts up to this number do not count against its limits. */
  forgiven: Generated<number>
  /** Digest of code, data and configuration without seeds; null where the code is not known. */
  recipe: Optional<string>
}

type Leases = { run_id: string; next_look_at: number; until_at: number; token: number; holder: Optional<string> }

type Attempts = { run_id: string; number: number; body: JsonColumn<Attempt>; state: GeneratedAlways<Attempt['state']> }

type Allocations = { run_id: string; number: number; body: JsonColumn<Allocation>; state: GeneratedAlways<Allocation['state']> }

type Agents = {
  run_id: string
  allocation: number
  node_index: number
  node: string
  host: string
  incarnation: string
  heard_at: number
  /** The last attempt whose ranks have all ended there; null for an agent that does not report it. */
  ended_attempt: number | null
}

type Releases = { run_id: string; number: number; due_at: number }

/** The last line of its tail instead of the whole. */
export type KeptExit = Omit<Exit, 'tail'> & { readonly words?: string }

type Beats = {
  run_id: string
  attempt: number
  node_index: number
  node: string
  sequence: number
  received_at: number
  beats: JsonColumn<readonly Beat[]>
  /** When these beats arrived: a report may come without any. */
  beats_at: number
  /** The first ones of the attempt. */
  exits: JsonColumn<readonly KeptExit[]>
  /** What the agent said of the completion record, once there is one. */
  completed: JsonColumn<JsonObject | null>
  /** Of an attempt that is a check. */
  readings: JsonColumn<readonly Reading[]>
  first_step_at: Optional<number>
  last_step: Optional<number>
  last_step_at: Optional<number>
}

type Steps = {
  run_id: string
  attempt: number
  first_step: number
  last_step: number
  node_index: number
  sequence: number
  rows: JsonColumn<readonly StepRow[]>
}

type Checkpoints = CheckpointRow & { run_id: string; reported_in: number }

type RunEnvironments = {
  run_id: string
  attempt: number
  node_index: number
  node: string
  body: JsonColumn<NodeEnvironment>
  /** Digest of a list. */
  packages: Optional<string>
  sent: Generated<number>
  at: number
}

type PackageLists = { digest: string; packages: JsonColumn<Packages> }

type Events = {
  stream: string
  sequence: number
  at: number
  kind: string
  actor: string
  body: JsonColumn<JsonObject>
  previous_hash: string
  hash: string
  transaction_id: Generated<string>
  feed: GeneratedAlways<number>
}

/** `holder` reads for it until then. */
type FeedReaders = { name: string; transaction_id: string; feed: number; holder: string; until_at: number }

type Nodes = {
  cluster: string
  name: string
  state: 'in-service' | 'drained'
  strikes: number
  drained_reason: Optional<string>
  changed_at: number
}

type NodeReadings = {
  cluster: string
  name: string
  /** Of its accelerators, by the cluster's name; empty where the run requested none. */
  kind: string
  reading: JsonColumn<Rates>
  at: number
}

type Idempotency = {
  principal: string
  key: string
  request_hash: string
  status: Optional<number>
  body: ColumnType<Json | null, string | null | undefined, string | null>
  at: number
}

type Unbooked = { run_id: string; due_at: number }

type LedgerDays = BookCounts & { day: number; team: string; project: string }

type LedgerCauses = BookedCause & { day: number; team: string; project: string }

type Deployments = {
  id: string
  name: string
  project: string
  team: string
  spec: JsonColumn<DeploymentSpec>
  desired: 'serve' | 'remove'
  state: DeploymentState
  state_since_at: number
  why: string
  newest: number
  stable: number
  wanted: number
  replicas_made: number
  rollout: ColumnType<Rollout | null, string | undefined, string>
  memory: Optional<string>
  created_at: number
  created_by: string
  next_look_at: number
  until_at: number
  token: number
  holder: Optional<string>
}

type Revisions = { deployment_id: string; number: number; body: JsonColumn<Revision> }

type Replicas = {
  id: string
  deployment_id: string
  body: JsonColumn<ReplicaBody>
  state: GeneratedAlways<ReplicaBody['state']>
  since_at: GeneratedAlways<number>
}

type Gateways = { id: string; seen_at: number; body: JsonColumn<GatewaySync> }

type GatewaySnapshot = {
  one: Generated<boolean>
  config: JsonColumn<JsonObject>
  config_etag: Generated<string>
  version: number
  body: JsonColumn<JsonObject>
  epoch: Generated<string>
  epoch_since_at: Generated<number>
  digest: Generated<string>
  cache_secret: Generated<string>
}

type GatewayQuotas = {
  one: Generated<boolean>
  ledger: JsonColumn<QuotaLedger>
}

export type Artifacts = {
  project: string
  id: string
  sequence: Generated<number>
  type: ArtifactType
  bytes: number
  files: number
  leaves: number
  facts: JsonColumn<JsonObject>
  made_by: Optional<string>
  created_at: number
  created_by: string
  removed_at: Optional<number>
  /** Of a version of a model, for lists by state: kept by the database, from its decisions. */
  decided: Generated<DecisionAnswer | null>
  waived_until: Generated<number | null>
}

export type ArtifactEdges = { run_id: string; project: string; artifact_id: string; how: 'used' | 'made'; at: number }

export type ArtifactNames = { project: string; name: string; version: number; artifact_id: string; at: number; by: string }

export type Decisions = {
  project: string
  artifact_id: string
  number: number
  answer: DecisionAnswer
  rule: string
  evidence: JsonColumn<Decision['evidence']>
  why: string
  otherwise: Optional<string>
  until_at: Optional<number>
  at: number
  by: string
  /** Of an approval: what its person had in the project. */
  role: Optional<ProjectRole>
}

/** `claim` is whose removal has not ended. */
export type CollectedObjects = { key: string; at: number; claim: Optional<string> }

export type Tables = ProfileTables & {
  artifacts: Artifacts
  artifact_edges: ArtifactEdges
  artifact_names: ArtifactNames
  decisions: Decisions
  collected_objects: CollectedObjects
  principals: Principals
  plans: Plans
  plan_projects: PlanProjects
  teams_documents: TeamsDocuments
  job_users: JobUserRows
  runs: Runs
  leases: Leases
  attempts: Attempts
  allocations: Allocations
  agents: Agents
  releases: Releases
  beats: Beats
  steps: Steps
  checkpoints: Checkpoints
  run_environments: RunEnvironments
  package_lists: PackageLists
  events: Events
  feed_readers: FeedReaders
  nodes: Nodes
  node_readings: NodeReadings
  idempotency: Idempotency
  login_codes: LoginCodes
  secrets: Secrets
  sessions: Sessions
  unbooked: Unbooked
  ledger_days: LedgerDays
  ledger_causes: LedgerCauses
  deployments: Deployments
  revisions: Revisions
  replicas: Replicas
  gateways: Gateways
  gateway_snapshot: GatewaySnapshot
  gateway_quota: GatewayQuotas
}

export type Principal = Omit<Selectable<Principals>, 'token_hash' | 'old_hash' | 'old_until_at' | 'issued_by'>
export type Plan = Selectable<Plans>
export type Run = Selectable<Runs>
export type Agent = Selectable<Agents>
export type Vitals = Selectable<Beats>
export type StepBatch = Selectable<Steps>
export type Checkpoint = Selectable<Checkpoints>
export type RunEnvironmentRow = Selectable<RunEnvironments>
export type Event = Selectable<Events>
export type Node = Selectable<Nodes>
export type Deployment = Selectable<Deployments>
export type Gateway = Selectable<Gateways>
