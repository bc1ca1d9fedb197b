// What a person writes to have any program run: `kind: Job`. A command and what it needs; no model, no plan and no prediction. A separate
// entry point (`@ironlaw/contracts/job-spec`), as everything that loads zod.

import * as z from 'zod'
import { CHECKPOINT_POLICY } from './checkpoint-policy.ts'
import { SECRET_REFERENCES } from './secrets.ts'
import { USED_ARTIFACTS } from './artifact.ts'
import { count, name, parseSpec, quantityText, type SpecFormat } from './spec-format.ts'
import { STEP_PATTERN } from './step-pattern.ts'

const accelerators = z
  .strictObject({
    kind: name('Id of an accelerator in the catalog').meta({ examples: ['h100-sxm'] }),
    perNode: count('Accelerators on each node, which no other job holds at the same time'),
  })
  .describe('Accelerators of each node; none when left out')

const resources = z
  .strictObject({
    nodes: count('Nodes').default(1),
    processesPerNode: count('Processes on each node, one for each accelerator, or one, when left out').exactOptional(),
    accelerators: accelerators.exactOptional(),
    cpusPerProcess: count('Processor cores for each process; one when left out').exactOptional(),
    memory: quantityText('B', 'Memory of the host on each node; as the cluster decides when left out', '200 GB').exactOptional(),
    constraint: z.string().min(1).describe("Features that each node must have, in the cluster's own words").exactOptional(),
    switches: count('As few switches between the nodes as this, where such nodes come free within five minutes').exactOptional(),
  })
  .describe('What the job needs; one process on one node when left out')

const steps = z
  .strictObject({
    pattern: STEP_PATTERN.describe(
      'Regular expression with a group named step, and perhaps loss and gradient_norm, matched against each line that the program prints',
    ).meta({ examples: ['step (?<step>\\d+).*loss (?<loss>[\\d.]+)'] }),
    total: count('Steps of the whole job, for the time that is left').exactOptional(),
  })
  .describe('How to read steps from the output of the program; programs that use the SDK report them themselves')

const SPEC = z
  .strictObject({
    apiVersion: z.literal('ironlaw/v1').describe('Version of this format'),
    kind: z.literal('Job').describe('Any program'),
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be lower-case letters, digits and hyphens, at most 63')
      .describe('Name of this job'),
    command: z
      .string()
      .min(1)
      .describe('A shell command line, run by each process')
      .meta({ examples: ['python3 train.py --epochs 3'] })
      .exactOptional(),
    program: z
      .array(z.string().min(1))
      .min(1)
      .describe('Alternatively the words of a command, without a shell; a first word ending in .py runs under Python')
      .meta({ examples: [['train.py', '--epochs', '3']] })
      .exactOptional(),
    directory: z.string().default('.').describe('Working directory, relative to this file'),
    environment: z.record(z.string(), z.string()).default({}).describe('Added to the environment of the program'),
    secrets: SECRET_REFERENCES.exactOptional(),
    uses: USED_ARTIFACTS.exactOptional(),
    resources: resources.default({ nodes: 1 }),
    timeLimit: quantityText('s', 'Longest time that it may run; it fails then', '12h').exactOptional(),
    retries: z
      .int()
      .nonnegative()
      .max(100)
      .exactOptional()
      .describe('How often the program is restarted after it fails by itself; 2 when left out. Lost nodes do not count'),
    steps: steps.exactOptional(),
    project: name('Whom the run is accounted to').default('default'),
    team: name('Whose project it is').exactOptional(),
    spares: z
      .int()
      .nonnegative()
      .max(1024)
      .exactOptional()
      .describe('Spare nodes, held in addition to the working ones, to replace a lost node at once'),
    checkpointEvery: quantityText('s', 'Time between checkpoints of a program that saves with the SDK', '30min').exactOptional(),
    checkpoints: CHECKPOINT_POLICY.exactOptional().describe('Which checkpoints are kept, and where a second copy is stored'),
  })
  .refine(({ command, program }) => (command === undefined) !== (program === undefined), {
    path: ['command'],
    message: 'either a command or a program is needed, and not both',
  })
  .meta({ title: 'Ironlaw job spec', description: 'Any program and what it needs: kind Job of ironlaw/v1' })

const FORMAT: SpecFormat<typeof SPEC> = {
  schema: SPEC,
  fields: {
    '': Object.keys(SPEC.shape),
    resources: Object.keys(resources.shape),
    'resources.accelerators': Object.keys(accelerators.shape),
    steps: Object.keys(steps.shape),
    checkpoints: Object.keys(CHECKPOINT_POLICY.shape),
  },
}

export type JobSpec = z.infer<typeof SPEC>

/** A spec as read from YAML or JSON, checked. */
export const parseJobSpec = (value: unknown, file: string): JobSpec => parseSpec(FORMAT, value, file)

/** The JSON Schema for editors, of what may be written: fields with a default may be left out. */
export const jobSpecSchema = (): z.core.JSONSchema.BaseSchema => z.toJSONSchema(SPEC, { io: 'input' })
