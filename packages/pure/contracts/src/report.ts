// What a node's agent reports of an attempt: beats, exits, merged step rows, checkpoints, notes. It crosses a process and a
// language (python/ironlaw writes it), so it has a schema; a separate entry point, as everything that loads zod.

import * as z from 'zod'

const time = z.number().nonnegative()
const count = z.int().nonnegative()
/** What names a thing and is stored as a column of 32 bits. */
const ordinal = z.int32().nonnegative()

/** Of one step; ours has six. */
const MOST_PHASES = 64

const RANK = z.object({
  rank: count,
  step: z.int(),
  phase: z.string().max(40),
  phase_age_s: time,
  alive: z.boolean(),
  /** Whether the program has joined through the SDK; agents of an earlier release do not say. */
  attached: z.boolean().exactOptional(),
})

const BEAT = z.object({ node: z.string().max(255), index: count, host: z.string().max(255), age_s: time, ranks: z.array(RANK).max(64) })

const EXIT = z.object({
  node: z.string().max(255),
  index: count,
  rank: count,
  code: z.int().nullable(),
  signal: z.int().nullable(),
  at: time,
  tail: z.string().max(4096),
  /** By its own agent, because another rank had failed: it says that the rank is gone, not why. */
  killed: z.boolean().exactOptional(),
  /** False where the node has no such program, so that nothing was started. */
  started: z.boolean().exactOptional(),
})

export const STEP = z.object({
  step: count,
  at: time,
  seconds: time,
  tokens: count,
  /** Null when it was not a finite number, which JSON cannot carry; absent when the program reports none. */
  loss: z.number().nullable().exactOptional(),
  gradient_norm: z.number().nullable().exactOptional(),
  world: z.int().positive(),
  phases_s: z
    .record(z.string().max(40), time)
    .refine((phases) => Object.keys(phases).length <= MOST_PHASES, `at most ${MOST_PHASES} phases`),
  slowest: z.object({ rank: count, compute_s: time }).exactOptional(),
  median_compute_s: time.exactOptional(),
})

export const CHECKPOINT = z.object({
  state: z.enum(['committed', 'restored', 'corrupt', 'refused']),
  step: count,
  attempt: z.int32().positive(),
  bytes: count.default(0).describe('Of all shards; 0 where nothing was written'),
  write_s: time.default(0),
  pause_s: time.default(0),
  at: time,
  manifest: z
    .string()
    .max(1024)
    .regex(/^[^\0]*$/, 'no NUL')
    .default('')
    .describe('From the run directory; empty where none was written'),
})

/** Beyond any device or link: what is more is not measured, and medians of such figures would not be numbers. */
const rate = z.number().positive().max(1e18)

/** What a check before the start measured. */
export const RATES = z.object({
  product_flops: rate.describe('Floating-point operations a second of a matrix product'),
  memory_bytes_per_s: rate.describe('Read and written by a copy in device memory'),
  link_bytes_per_s: rate.exactOptional().describe('One way to another node, the better of two neighbours'),
})

export type Rates = z.infer<typeof RATES>

/** By one rank of its device, and by one rank of each node of its links; the detail of a note of kind `reading`. */
export const READING = RATES.extend({ rank: ordinal })

export type Reading = z.infer<typeof READING>

const NOTE_KINDS =
  'started, attached, strategy, reading, resumed, preempting, head-unreachable, fenced, completed, dropped; others are kept as they come'

const NOTE = z.object({
  /** Of a newer agent also others, which are kept as events: exits come in the same report, and must not be refused with it. */
  kind: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,39}$/, 'lower-case letters, digits and hyphens, at most 40')
    .describe(NOTE_KINDS),
  at: time,
  detail: z.record(z.string(), z.unknown()),
})

export const REPORT = z
  .object({
    node: z.string().regex(/^[\w.:-]{1,255}$/, 'letters, digits, dots, colons and hyphens, at most 255'),
    index: ordinal,
    sequence: z.int32().positive(),
    sent_at: time,
    beats: z.array(BEAT).max(4096).default([]),
    exits: z.array(EXIT).max(4096).default([]),
    steps: z.array(STEP).max(10_000).default([]),
    checkpoints: z.array(CHECKPOINT).max(1000).default([]),
    notes: z.array(NOTE).max(1000).default([]),
  })
  .meta({ title: 'Report of a node agent' })

export type Report = z.infer<typeof REPORT>
export type Beat = Report['beats'][number]
/** The first exits of an attempt are kept, and for a large job they stand for the rest; the events hold all of them. */
export const EXITS_KEPT = 64

/**
 * What a process says by its status: it stopped after a checkpoint, as asked; or it fails for a reason that another attempt would meet again. Its last line
 * names the reason. python/ironlaw/environment.py has the same numbers.
 */
export const EXIT_STATUS = { preempted: 75, final: 78 } as const

export type Exit = Report['exits'][number]
export type StepRow = Report['steps'][number]
export type CheckpointRow = Report['checkpoints'][number]

export const REPORT_RESPONSE = z.object({
  checkpoint_every_s: time.nullable(),
  stop: z.enum(['preempt', 'fenced']).nullable(),
})

export type ReportResponse = z.infer<typeof REPORT_RESPONSE>

/** An agent that waits for work announces itself with this, again and again; it is answered with what to do. */
export const ANNOUNCEMENT = z
  .object({
    allocation: z.int32().positive(),
    index: ordinal.describe('Index in the allocation'),
    node: REPORT.shape.node,
    host: z.string().max(255),
    incarnation: z.string().regex(/^[\w-]{1,64}$/, 'letters, digits, hyphens and underscores, at most 64'),
    ended_attempt: z.int32().nonnegative().optional().describe('The last attempt whose ranks have all ended here; 0 before the first'),
  })
  .meta({ title: 'Announcement of a node agent' })

export type Announcement = z.infer<typeof ANNOUNCEMENT>

export const ORDER = z.object({
  attempt: z.int32().positive(),
  nodes: z.int().positive().describe('Nodes of the attempt'),
  index: count.describe('Index of this node among them; 0 is the head'),
  head: z.string().describe('Incarnation of the agent of node 0'),
  checkpoint_every_s: time,
  resume_before: count.nullable().describe('Resume from a checkpoint before this step; null for the newest'),
  check: z.literal(true).exactOptional().describe('Measure the nodes instead of running the program'),
})

export type Order = z.infer<typeof ORDER>

export const ANNOUNCEMENT_RESPONSE = z.object({
  order: ORDER.nullable().describe('The attempt that this agent is part of; null while there is none'),
  leave: z.boolean().describe('No further orders will come: exit'),
  poll_s: time.describe('Seconds until the next announcement'),
})

export type AnnouncementResponse = z.infer<typeof ANNOUNCEMENT_RESPONSE>
