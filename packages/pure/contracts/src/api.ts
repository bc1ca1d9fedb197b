// What the HTTP API takes and gives, as schemas: the handlers check with them, the OpenAPI document is made of them, and the
// command line's client reads answers by their types. A separate entry point, as everything that loads zod.

import * as z from 'zod'
import { USED_ARTIFACTS } from './artifact.ts'
import { OUTCOME } from './attempt-outcome.ts'
import { TIME_CAUSES } from './time-cause.ts'
import { CHECKPOINT, RATES, STEP } from './report.ts'
import { RECORDED_SPEC, RUN_CODE } from './run-origin.ts'
import { RUN_PLAN } from './run-plan.ts'
import { DEVICE_COUNT, PROGRAM, SHAPE } from './run-shape.ts'
import { RUN_STATES } from './run.ts'
import { NODE_STATES } from './sighting.ts'
import { PROJECT_ROLES } from './grants.ts'
import { ROLES } from './roles.ts'

const at = z.number().describe('Seconds since 1970-01-01 UTC')
const id = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'lower-case letters, digits and hyphens, at most 63')

export const PROBLEM = z
  .object({
    type: z.string().describe('about:blank, or the address of the code in the error reference'),
    title: z.string().describe('What happened, with which value'),
    status: z.int(),
    code: z.string().describe('A code of the error catalogue'),
    next: z.string().describe('What to do next'),
    request: z.string().exactOptional().describe('Id of the request, for support'),
  })
  .meta({ id: 'Problem', title: 'Problem (RFC 9457)' })

export const LOSSES = z
  .partialRecord(z.enum(TIME_CAUSES), z.number().nonnegative())
  .describe('Time that starts, checkpoints and failures are expected to take over the whole run, by cause of the ledger')

export const CREATE_RUN = z
  .strictObject({
    name: id.describe('Name of the run'),
    project: id.default('default').describe('Project that its cost is booked to'),
    team: id.exactOptional().describe('Team that owns the project; "default" when absent'),
    plan: RUN_PLAN.describe('The plan, as `ironlaw plan --json` prints it under `plans`, or the description of a job; stored under its id'),
    program: PROGRAM,
    shape: SHAPE,
    from: z
      .strictObject({ run: id, step: z.int().positive().exactOptional().describe('Of a committed checkpoint; the newest when absent') })
      .exactOptional()
      .describe('Start from a checkpoint of another run, which is not changed'),
    expected_losses_s: LOSSES.exactOptional(),
    uses: USED_ARTIFACTS.exactOptional(),
    code: RUN_CODE.exactOptional(),
    spec: RECORDED_SPEC.exactOptional(),
  })
  .meta({ id: 'CreateRun' })

export const ATTEMPT_VIEW = z
  .object({
    number: z.int(),
    state: z.enum(['submitted', 'running', 'ended']).describe('"submitted" waits for nodes, "running" has them'),
    nodes: z.int(),
    excluded: z.array(z.string()),
    placed: z.array(z.string()).exactOptional().describe('Nodes it runs or ran on'),
    allocations: z.array(z.int()).exactOptional().describe('Allocations that these nodes belong to'),
    submitted_at: at,
    started_at: at.exactOptional(),
    first_step_at: at.exactOptional(),
    last_step: z.int().exactOptional(),
    last_step_at: at.exactOptional(),
    resumed_from: z.int().exactOptional(),
    check: z.literal(true).exactOptional().describe('It measures the nodes and does not run the program'),
    ended_at: at.exactOptional(),
    outcome: OUTCOME.exactOptional(),
  })
  .meta({ id: 'Attempt' })

export const RUN = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z
      .enum(['Job', 'Data'])
      .exactOptional()
      .describe('A command without a plan, or a data pipeline with one; absent for a run that follows a plan of training'),
    project: z.string(),
    team: z.string(),
    state: z.enum(RUN_STATES),
    state_since_at: at,
    why: z.string().describe('One sentence: why it waits, or what it waits for; empty when it runs'),
    estimated_start_at: at.exactOptional(),
    plan: z.string().describe('Id of the plan'),
    shape: SHAPE,
    argv: z.array(z.string()),
    environment: z.array(z.string()).describe('Names of the added environment variables; values are not shown'),
    attempt: z.int().describe('Number of the current attempt; 0 before the first'),
    step: z.int().exactOptional(),
    steps: z.int().exactOptional().describe('Steps of the whole run, from the plan, or as given by the author of a job'),
    loss: z.number().nullable().exactOptional(),
    step_s: z.number().exactOptional().describe('Seconds per step, over the latest steps'),
    predicted_step_s: z.number().exactOptional(),
    checkpoint_step: z.int().exactOptional().describe('Newest committed checkpoint'),
    outcome: OUTCOME.exactOptional(),
    uses: z.array(z.string()).exactOptional().describe('Ids of the artifacts that it uses'),
    created_at: at,
    created_by: z.string(),
    ended_at: at.exactOptional(),
  })
  .meta({ id: 'Run' })

export const EVENT = z
  .object({
    cursor: z.string().describe('Resume after this event, where it was listed or watched'),
    stream: z.string(),
    sequence: z.int(),
    at,
    kind: z.string(),
    actor: z.string(),
    body: z.record(z.string(), z.unknown()),
    hash: z.string(),
  })
  .meta({ id: 'Event' })

export const STEP_VIEW = STEP.extend({
  cursor: z.string().describe('Resume after the report that held this step'),
  attempt: z.int(),
}).meta({ id: 'Step' })

export const CHECKPOINT_VIEW = CHECKPOINT.extend({ reported_in: z.int().describe('Attempt that reported it') }).meta({ id: 'Checkpoint' })

export const PLAN_VIEW = z
  .object({ id: z.string(), kind: z.string(), created_at: at, body: z.record(z.string(), z.unknown()) })
  .meta({ id: 'Plan' })

export const LOG_STORED = z
  .object({ offset: z.int().describe('Bytes stored so far: where the next part begins') })
  .meta({ id: 'LogStored' })

export const AUDIT = z
  .object({
    stream: z.string(),
    intact: z.boolean(),
    events: z.int().exactOptional(),
    head: z
      .string()
      .exactOptional()
      .describe('Hash of the last event: keep it elsewhere, because a chain that was cut off at its end still verifies'),
    sequence: z.int().exactOptional().describe('First event that was changed after it was written'),
    problem: z.enum(['missing', 'altered']).exactOptional(),
  })
  .meta({ id: 'AuditVerdict' })

export const NODE = z
  .object({
    name: z.string(),
    state: z.enum(NODE_STATES),
    slots: z.int(),
    free: z.int(),
    devices: z.array(DEVICE_COUNT).exactOptional().describe('Accelerators that the cluster counts, by kind'),
    readings: z
      .array(RATES.extend({ kind: z.string().describe("Accelerators by the cluster's name; empty for the processor"), at }))
      .exactOptional()
      .describe('What the last checks before a start measured'),
    reason: z.string().exactOptional(),
  })
  .meta({ id: 'Node' })

export const TOKEN = z
  .object({
    id: z.string(),
    name: z.string(),
    role: z.enum(ROLES),
    projects: z.array(z.string()).exactOptional().describe('Where a person has the role; everywhere when absent'),
    gateway: z.string().exactOptional().describe('The only gateway that the token speaks for'),
    created_at: at,
    expires_at: at.exactOptional(),
    last_used_at: at.exactOptional().describe('To the minute'),
    revoked_at: at.exactOptional(),
  })
  .meta({ id: 'Token' })

export const CREATED_TOKEN = TOKEN.extend({ secret: z.string().describe('Shown only once') }).meta({ id: 'CreatedToken' })

export const DRAIN_NODE = z
  .strictObject({
    reason: z
      .string()
      .regex(/^[^\p{Cc}\p{Cs}]{1,200}$/u, 'one line, at most 200 characters')
      .describe('Shown with the node'),
  })
  .meta({ id: 'DrainNode' })

export const CREATE_TOKEN = z
  .strictObject({
    name: id,
    role: z.enum(ROLES),
    projects: z.array(id).min(1).max(100).exactOptional().describe('Where it holds; everywhere when absent'),
    gateway: z
      .string()
      .regex(/^[A-Za-z0-9][\w.-]{0,62}$/, 'letters, digits, dots, hyphens and underscores, at most 63')
      .exactOptional()
      .describe('The only gateway that a token of the role gateway speaks for; when absent, the first that uses it'),
    expires_at: at.exactOptional().describe('When it expires, in seconds since 1970-01-01 UTC; never when absent'),
  })
  .meta({ id: 'CreateToken' })

export const ROTATE_TOKEN = z
  .strictObject({
    overlap_s: z.number().nonnegative().max(604_800).default(0).describe('How long the secret before stays valid'),
    expires_at: at.exactOptional().describe('A new expiry, in seconds since 1970-01-01 UTC; the one before when absent'),
  })
  .meta({ id: 'RotateToken' })

export const PRINCIPAL = z
  .object({
    id: z.string(),
    name: z.string(),
    grants: z.array(z.object({ role: z.enum(PROJECT_ROLES), project: z.string().describe('* is every project and the site itself') })),
  })
  .meta({ id: 'Principal' })

/** Random, good for one exchange. */
const loginCode = z.string().regex(/^[\w-]{43}$/, 'a code as "ironlaw console" prints it')

export const LOGIN_CODE = z.object({ code: loginCode, expires_at: at }).meta({ id: 'LoginCode' })

export const LOG_IN = z.strictObject({ code: loginCode }).meta({ id: 'LogIn' })

export const LOGGED_IN = z.object({ token: z.string().describe('Token of the user who created the code') }).meta({ id: 'LoggedIn' })

export const page = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next: z.string().nullable().describe('Cursor of the next page; null on the last') })

export type Problem = z.infer<typeof PROBLEM>
export type CreateRun = z.infer<typeof CREATE_RUN>
export type RunView = z.infer<typeof RUN>
export type AttemptView = z.infer<typeof ATTEMPT_VIEW>
export type StepView = z.infer<typeof STEP_VIEW>
export type CheckpointView = z.infer<typeof CHECKPOINT_VIEW>
export type EventView = z.infer<typeof EVENT>
export type NodeView = z.infer<typeof NODE>
export type TokenView = z.infer<typeof TOKEN>
export type AuditVerdict = z.infer<typeof AUDIT>
