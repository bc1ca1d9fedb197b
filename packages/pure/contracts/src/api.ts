// What the HTTP API takes and gives, as schemas: the handlers check with them, the OpenAPI document is made of them, and the
// command line's client reads answers by their types. A separate entry point, as everything that loads zod.

import * as z from 'zod'
import { CHECKPOINT_POLICY } from './checkpoint-policy.ts'
import { TIME_CAUSES } from './time-cause.ts'
import { CHECKPOINT, RATES, STEP } from './report.ts'
import { RUN_PLAN } from './run-plan.ts'
import { END_REASONS, RUN_STATES } from './run.ts'
import { STEP_PATTERN } from './step-pattern.ts'
import { ROLES } from './roles.ts'

const at = z.number().describe('Seconds since 1970-01-01 UTC')
const id = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'lower-case letters, digits and hyphens, at most 63')

/** What a process can be given: its arguments and environment end at a NUL. */
const word = z.string().regex(/^[\t\n\r\P{Cc}]*$/u, 'must not contain control characters')

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

const OUTCOME = z.object({
  cause: z.enum(END_REASONS),
  detail: z.string(),
  step: z.int().exactOptional(),
  nodes: z.array(z.string()).exactOptional(),
})

/** Configuration that goes with a program: a plan for a framework has 2 kB. */
const FILE_CHARACTERS = 64 * 1024
const MOST_FILES = 16

const PROGRAM = z.strictObject({
  argv: z.array(word.min(1)).min(1).describe('Command of one process; a first word ending in .py runs under Python'),
  directory: word.startsWith('/', 'must be an absolute path').describe('Working directory'),
  environment: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), word)
    .default({})
    .describe('Added to the environment; values are never shown again'),
  files: z
    .record(
      z.string().regex(/^[a-z][a-z0-9.-]{0,62}$/, 'lower-case letters, digits, dots and hyphens, at most 63'),
      z.string().max(FILE_CHARACTERS),
    )
    .refine((files) => Object.keys(files).length <= MOST_FILES, `at most ${MOST_FILES} files`)
    .exactOptional()
    .describe('Put into the run directory before the program starts; {run-files} in an argument stands for their directory'),
  stepPattern: STEP_PATTERN.exactOptional().describe(
    'Finds steps in the output of the program: a regular expression with a group named step, and perhaps loss. Matched on the node',
  ),
})

const DEVICE_NAME = z.string().regex(/^[\w.:-]{1,64}$/, 'letters, digits, dot, colon, dash and underscore, at most 64')

/** What a run, or a replica, requests of accelerators on a node. */
export const DEVICE_REQUEST = z
  .strictObject({
    perNode: z.int().positive().max(1024).describe('Accelerators on each node, held exclusively'),
    kinds: z
      .array(DEVICE_NAME)
      .max(64)
      .default([])
      .describe('Acceptable accelerators, best first: ids of the catalog or names used by the cluster; any when empty'),
    orAtLeast: z
      .strictObject({
        memory_bytes: z.number().positive().exactOptional().describe('Memory of one accelerator'),
        linkDomain: z.int().positive().exactOptional().describe('Accelerators that the fast links join'),
      })
      .exactOptional()
      .describe('Also accept other accelerators with at least this, according to the site file'),
  })
  .meta({ id: 'DeviceRequest' })

export const DEVICE_COUNT = z
  .object({ kind: z.string().describe("The cluster's name, such as gpu:h100"), total: z.int(), free: z.int() })
  .meta({ id: 'DeviceCount' })

const SHAPE = z.strictObject({
  nodes: z.int().positive().describe('Nodes of the job'),
  processesPerNode: z.int().positive().describe('Training processes per node'),
  smaller: z.array(z.int().positive()).default([]).describe('Smaller numbers of nodes with which it may continue, largest first'),
  spares: z.int().nonnegative().max(1024).exactOptional().describe('Spare nodes, held to replace lost ones at once; none when absent'),
  devices: DEVICE_REQUEST.exactOptional().describe('Accelerators of each node; none are requested when absent'),
  cpusPerProcess: z.int().positive().max(4096).exactOptional().describe('Processor cores for each process; one when absent'),
  memory_bytes: z.number().positive().exactOptional().describe('Host memory on each node; the default of the cluster when absent'),
  constraint: z
    .string()
    .regex(/^[\w.,&|!()[\]*-]{1,200}$/, 'features joined by &, |, comma and brackets, without spaces')
    .exactOptional()
    .describe("Features that each node must have, in the cluster's own words"),
  switches: z
    .int()
    .positive()
    .exactOptional()
    .describe('At most this many switches between the nodes, if such nodes become free within five minutes'),
  check: z
    .strictObject({ share: z.number().gt(0).lt(1).describe("Of the fleet's median; a node below it is replaced") })
    .exactOptional()
    .describe('Measure the nodes before the program starts; off when absent'),
  timeLimit_s: z.number().positive().exactOptional().describe('Longest time for which the nodes are held'),
  retries: z
    .int()
    .nonnegative()
    .max(100)
    .exactOptional()
    .describe('Further attempts after the program has failed by itself without progress; 2 when absent'),
  checkpointEvery_s: z
    .number()
    .positive()
    .exactOptional()
    .describe('Seconds between checkpoints; chosen by the cost of a checkpoint when absent'),
  checkpoints: CHECKPOINT_POLICY.exactOptional().describe('Which checkpoints are kept, and where a second copy is stored'),
})

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
  })
  .meta({ id: 'CreateRun' })

export const ATTEMPT = z
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
    kind: z.literal('Job').exactOptional().describe('A command without a plan; absent for a run that follows one'),
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
    state: z.enum(['idle', 'busy', 'unresponsive', 'down', 'drained']),
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
  .object({ id: z.string(), name: z.string(), role: z.enum(ROLES), created_at: at, revoked_at: at.exactOptional() })
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

export const CREATE_TOKEN = z.strictObject({ name: id, role: z.enum(ROLES) }).meta({ id: 'CreateToken' })

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
export type AttemptView = z.infer<typeof ATTEMPT>
export type StepView = z.infer<typeof STEP_VIEW>
export type CheckpointView = z.infer<typeof CHECKPOINT_VIEW>
export type EventView = z.infer<typeof EVENT>
export type NodeView = z.infer<typeof NODE>
export type TokenView = z.infer<typeof TOKEN>
export type AuditVerdict = z.infer<typeof AUDIT>
