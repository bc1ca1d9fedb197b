// Documents in JSON columns, as they are read back. One that is not what the code takes it for is an error that names its row, in the turn of
// its run or deployment: another control plane on the same database may be newer. What such a one has added is kept, not dropped. A column
// changes its shape by a migration, so that the version of the database is the version of its documents.

import {
  type Allocation,
  type Attempt,
  END_REASONS,
  IronlawError,
  REPLICA_ENDS,
  REPLICA_STATES,
  type Replica,
  type Revision,
} from '@ironlaw/contracts'
import * as z from 'zod'

const names = z.array(z.string())

const OUTCOME = z.looseObject({
  cause: z.enum(END_REASONS),
  detail: z.string(),
  step: z.number().exactOptional(),
  nodes: names.exactOptional(),
})

const ATTEMPT: z.ZodType<Attempt> = z.looseObject({
  number: z.int(),
  state: z.enum(['submitted', 'running', 'ended']),
  nodes: z.int(),
  excluded: names,
  resumeBefore: z.number().exactOptional(),
  check: z.literal(true).exactOptional(),
  submittedAt: z.number(),
  members: z.array(z.looseObject({ allocation: z.int(), index: z.int(), node: z.string(), incarnation: z.string() })).exactOptional(),
  placed: names.exactOptional(),
  disbelieved: z.boolean().exactOptional(),
  startedAt: z.number().exactOptional(),
  firstStepAt: z.number().exactOptional(),
  lastStep: z.number().exactOptional(),
  lastStepAt: z.number().exactOptional(),
  endedAt: z.number().exactOptional(),
  outcome: OUTCOME.exactOptional(),
})

const ALLOCATION: z.ZodType<Allocation> = z.looseObject({
  number: z.int(),
  state: z.enum(['submitting', 'submitted', 'held', 'ended']),
  nodes: z.int(),
  excluded: names,
  deviceKind: z.string().exactOptional(),
  submittedAt: z.number(),
  reference: z.string().exactOptional(),
  heldAt: z.number().exactOptional(),
  endedAt: z.number().exactOptional(),
  how: z.enum(['completed', 'failed', 'cancelled', 'node-failed', 'timeout']).exactOptional(),
})

const DEVICE_REQUEST = z.looseObject({
  perNode: z.int(),
  kinds: names,
  orAtLeast: z.looseObject({ memory_bytes: z.number().exactOptional(), linkDomain: z.number().exactOptional() }).exactOptional(),
})

const REVISION: z.ZodType<Revision> = z.looseObject({
  number: z.int(),
  planId: z.string().exactOptional(),
  model: z.string(),
  argv: names,
  directory: z.string(),
  environment: z.record(z.string(), z.string()),
  processesPerReplica: z.int(),
  devices: DEVICE_REQUEST.exactOptional(),
  maxRunning: z.number(),
  createdAt: z.number(),
})

const REPLICA: z.ZodType<Replica> = z.looseObject({
  id: z.string(),
  revision: z.int(),
  state: z.enum(REPLICA_STATES),
  since: z.number(),
  submittedAt: z.number(),
  startedAt: z.number().exactOptional(),
  excluded: names.exactOptional(),
  deviceKind: z.string().exactOptional(),
  token: z.string().exactOptional(),
  proves: z.boolean().exactOptional(),
  url: z.string().exactOptional(),
  readyAt: z.number().exactOptional(),
  end: z.enum(REPLICA_ENDS).exactOptional(),
  detail: z.string().exactOptional(),
})

/** A table with a document in its column `body`. */
export type BodyTable<Body> = { readonly table: string; readonly schema: z.ZodType<Body> }

export const ATTEMPTS: BodyTable<Attempt> = { table: 'attempts', schema: ATTEMPT }
export const ALLOCATIONS: BodyTable<Allocation> = { table: 'allocations', schema: ALLOCATION }
export const REVISIONS: BodyTable<Revision> = { table: 'revisions', schema: REVISION }
export const REPLICAS: BodyTable<Replica> = { table: 'replicas', schema: REPLICA }

/** `owner` is the run or the deployment, `name` is what tells its rows apart. */
export type BodyRow = { readonly owner: string; readonly name: string; readonly body: unknown }

export type StoredBodies<Body> = {
  /** Throws where one of them cannot be read. */
  readonly get: (owner: string) => readonly Body[]
  /** Without those that cannot be read: that is an error when it is the owner's turn, and no other's. */
  readonly readable: (owner: string) => readonly Body[]
}

export function storedBodies<Body>({ table, schema }: BodyTable<Body>, rows: readonly BodyRow[]): StoredBodies<Body> {
  const grouped = Map.groupBy(rows, ({ owner }) => owner)
  const read = ({ owner, name, body }: BodyRow): Body => {
    const { success, data, error } = schema.safeParse(body)
    if (success) return data
    const problem = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
    throw new IronlawError('IL_UNEXPECTED', { reason: `${table}.body of ${owner}, ${name} cannot be read: ${problem}` })
  }
  return {
    get: (owner) => (grouped.get(owner) ?? []).map(read),
    readable: (owner) => (grouped.get(owner) ?? []).flatMap(({ body }) => schema.safeParse(body).data ?? []),
  }
}
