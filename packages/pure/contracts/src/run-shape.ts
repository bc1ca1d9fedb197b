// What a run requests: its program, the nodes and accelerators, and how persistently it is retried. A separate entry point, as everything
// that loads zod; the types cost nothing.

import * as z from 'zod'
import { CHECKPOINT_POLICY } from './checkpoint-policy.ts'
import type { Immutable } from './immutable.ts'
import { SECRET_REFERENCES } from './secrets.ts'
import { STEP_PATTERN } from './step-pattern.ts'

/** What a process can be given: its arguments and environment end at a NUL. */
export const word = z.string().regex(/^[\t\n\r\P{Cc}]*$/u, 'must not contain control characters')

export const ENVIRONMENT = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), word)
  .default({})
  .describe('Added to the environment; values are never shown again')

/** Of a file. They are configuration that goes with a program: a plan for a framework has 2 kB. */
export const RUN_FILE_CHARACTERS = 64 * 1024
const MOST_FILES = 16

export const PROGRAM = z.strictObject({
  argv: z.array(word.min(1)).min(1).describe('Command of one process; a first word ending in .py runs under Python'),
  directory: word.startsWith('/', 'must be an absolute path').describe('Working directory'),
  environment: ENVIRONMENT,
  secrets: SECRET_REFERENCES.exactOptional(),
  files: z
    .record(
      z.string().regex(/^[a-z][a-z0-9.-]{0,62}$/, 'lower-case letters, digits, dots and hyphens, at most 63'),
      z.string().max(RUN_FILE_CHARACTERS),
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

/** What a run requests from an executor, and how persistently the control plane retries. */
export const SHAPE = z.strictObject({
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

export type Program = Immutable<z.infer<typeof PROGRAM>>
export type RunShape = Immutable<z.infer<typeof SHAPE>>
/** On each node of a run. */
export type DeviceRequest = Immutable<z.infer<typeof DEVICE_REQUEST>>
/** What one node offers. */
export type DeviceCount = Immutable<z.infer<typeof DEVICE_COUNT>>
