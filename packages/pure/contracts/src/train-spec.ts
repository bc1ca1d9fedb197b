// What a person writes to have a model trained: `kind: Train`. Quantities stay text here, checked but not converted, because a
// spec is shown back to its author as it was written. A separate entry point (`@ironlaw/contracts/train-spec`), so that code
// that only needs the nouns never loads zod.

import * as z from 'zod'
import { CHECKPOINT_POLICY } from './checkpoint-policy.ts'
import { DOCUMENT_LENGTHS } from './document-lengths.ts'
import { DISPATCHERS, RECOMPUTE_MODULES } from './experts.ts'
import { LORA } from './lora.ts'
import { readLink } from './network-link.ts'
import { OPTIMIZER } from './optimizer.ts'
import { SECRET_REFERENCES } from './secrets.ts'
import { USED_ARTIFACTS } from './artifact.ts'
import { count, name, parseSpec, quantityText, type SpecFormat } from './spec-format.ts'
import { readBatchTokens, readSequence, type ReadResult } from './training-size.ts'

export const PRECISIONS = [
  'fp32',
  'bf16-mixed',
  'fp16-mixed',
  'bf16-gradients',
  'fsdp-mixed',
  'bf16-pure',
  'fp8',
  'nvfp4',
  'lora',
  'qlora',
] as const

type Reader = (text: string) => ReadResult<unknown>

/** Text that another parser accepts, or rejects with its own message; a bare number is rejected with the same message. */
const readableText = (read: Reader) =>
  z
    .string({ error: ({ input }) => (typeof input === 'number' ? problemOf(read, String(input)) : undefined) })
    .superRefine((text, context) => {
      const message = problemOf(read, text)
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    })

function problemOf(read: Reader, text: string): string | undefined {
  const result = read(text)
  return result.ok ? undefined : result.reason
}

const linkText = readableText(readLink)
const sequenceText = readableText(readSequence)
const batchText = readableText(readBatchTokens)

export const FLEET = z
  .strictObject({
    accelerator: name('Id of an accelerator in the catalog').meta({ examples: ['h100-sxm'] }),
    count: count('Accelerators in all'),
    perNode: count('Accelerators per node; as many as the catalog’s node has when left out').exactOptional(),
    node: name("Id of a node in the catalog; the maker's own for the accelerator when left out").exactOptional(),
    link: linkText
      .meta({
        description:
          'Network between nodes, one direction: a bandwidth in bits or bytes per second or the id of a link in the catalog, per accelerator unless it ends in "per node"; as the catalog’s node has it when left out',
        examples: ['400 Gb/s', '100 Gb/s per node', '8 x 400 Gb/s per node', 'ethernet-100'],
      })
      .exactOptional(),
  })
  .describe('Hardware that the job runs on')

const documents = z
  .strictObject({
    lengths: DOCUMENT_LENGTHS.describe('Tokens per document; what is longer than a sequence is cut'),
    packed: z
      .boolean()
      .default(true)
      .describe('Whether several documents share a sequence, each attending to itself alone; otherwise each is padded to a whole sequence'),
  })
  .describe('Documents of different lengths, as in SFT; every sequence is one document when left out')

export const STRATEGY = z
  .strictObject({
    tensor: count('Tensor-parallel ranks').exactOptional(),
    sequenceParallel: z.boolean().describe('Divide norms and residuals along the sequence among tensor-parallel ranks').exactOptional(),
    context: count('Context-parallel ranks').exactOptional(),
    contextBy: z.enum(['ring', 'all-to-all']).describe('How context-parallel ranks exchange keys and values').exactOptional(),
    pipeline: count('Pipeline stages').exactOptional(),
    virtual: count('Chunks of layers per pipeline rank').exactOptional(),
    schedule: z
      .enum(['1f1b', 'gpipe', 'interleaved', 'zero-bubble', 'dualpipe'])
      .describe('Order of passes in the pipeline')
      .exactOptional(),
    expert: count('Expert-parallel ranks').exactOptional(),
    dispatcher: z
      .enum(DISPATCHERS)
      .describe('How tokens reach experts on other ranks and come back: by a collective, or by the kernels of DeepEP or HybridEP')
      .exactOptional(),
    dispatchPrecision: z
      .enum(['bf16', 'fp8'])
      .describe('Precision of tokens on the way to their experts; they come back in bf16. bf16 when left out')
      .exactOptional(),
    expertOverlap: z.boolean().describe('Send tokens to experts and back under the passes of another microbatch').exactOptional(),
    data: count('Data-parallel ranks').exactOptional(),
    shards: z
      .enum(['nothing', 'optimizer', 'gradients', 'weights'])
      .describe('What data-parallel ranks divide among themselves: ZeRO stages 0 to 3; "weights" is FSDP')
      .exactOptional(),
    shardGroup: count('Ranks of data and context together that divide what is sharded; the rest replicate (HSDP)').exactOptional(),
    optimizerOn: z.enum(['device', 'host', 'nvme']).describe('Where optimizer states and master weights are stored').exactOptional(),
    microbatch: count('Sequences per data-parallel rank and pass').exactOptional(),
    recompute: z.enum(['none', 'selective', 'full']).describe('Activations recomputed in the backward pass').exactOptional(),
    recomputeModules: z
      .array(z.enum(RECOMPUTE_MODULES))
      .min(1)
      .describe('Modules that selective recomputation covers, as Megatron-Core names them')
      .exactOptional(),
  })
  .describe('Decisions fixed in advance; the planner makes the rest')

const memory = z
  .strictObject({
    probability: z
      .number()
      .min(0.5)
      .max(0.99)
      .describe(
        'Chance that the plan fits into the memory of the devices, given how far predictions are off; slower plans fit more surely',
      ),
  })
  .describe('How surely the plan must fit into memory; with a probability of 0.95 when left out')

/** How the plan's decisions reach the program. */
export const FRAMEWORKS = ['sdk', 'megatron-core', 'torchtitan', 'deepspeed'] as const

const resources = z
  .strictObject({
    cpusPerProcess: count('Processor cores for each process; one when left out').exactOptional(),
    memory: quantityText('B', 'Memory of the host on each node; as the cluster decides when left out', '200 GB').exactOptional(),
    constraint: z.string().min(1).describe("Features that each node must have, in the cluster's own words").exactOptional(),
    switches: count('As few switches between the nodes as this, where such nodes come free within five minutes').exactOptional(),
    orAtLeast: z
      .strictObject({
        memory: quantityText('B', 'Memory of one accelerator', '80 GB').exactOptional(),
        linkDomain: count('Accelerators that the fast links join').exactOptional(),
      })
      .describe('Accept other accelerators than planned if they have at least this, according to the site file')
      .exactOptional(),
  })
  .describe('What the job requests on each node in addition to the accelerators of the plan')

const run = z
  .strictObject({
    program: z
      .array(z.string().min(1))
      .min(1)
      .describe(
        'Command of one training process; a first word ending in .py runs under Python. The arguments that the plan decides are appended',
      )
      .meta({ examples: [['train.py', '--steps', '200']] }),
    framework: z
      .enum(FRAMEWORKS)
      .default('sdk')
      .describe(
        'Framework of the program: the plan’s degrees, batch, precision and recomputation become its arguments or configuration. With "sdk" the program reads them itself, as run.plan',
      ),
    directory: z.string().default('.').describe('Working directory, relative to this file'),
    environment: z.record(z.string(), z.string()).default({}).describe('Added to the environment of the program'),
    secrets: SECRET_REFERENCES.exactOptional(),
    uses: USED_ARTIFACTS.exactOptional(),
    project: name('Whom the run is accounted to').default('default'),
    team: name('Whose project it is').exactOptional(),
    smaller: z
      .array(count('Nodes'))
      .default([])
      .describe('Smaller numbers of nodes with which it may continue when nodes are lost, largest first'),
    spares: z
      .int()
      .nonnegative()
      .max(1024)
      .exactOptional()
      .describe('Spare nodes, held in addition to the working ones, to replace a lost node at once; none when left out'),
    check: z
      .strictObject({
        share: z
          .number()
          .gt(0)
          .lt(1)
          .default(0.8)
          .describe("Replace a node if its matrix product, memory or links reach less than this share of the fleet's median"),
      })
      .exactOptional()
      .describe('Measure the nodes before the program starts, which takes seconds; off when left out'),
    timeLimit: quantityText('s', 'Longest time for which the nodes are held', '12h').exactOptional(),
    checkpointEvery: quantityText('s', 'Time between checkpoints; chosen by what one costs when left out', '30min').exactOptional(),
    checkpoints: CHECKPOINT_POLICY.exactOptional().describe('Which checkpoints are kept, and where a second copy is stored'),
    resources: resources.exactOptional(),
  })
  .refine(({ framework, checkpoints }) => framework === 'sdk' || checkpoints === undefined, {
    path: ['checkpoints'],
    message: 'only programs that save with the SDK follow this; a framework keeps checkpoints as its own configuration says',
  })
  .describe('What to start when the plan is applied')

const failures = z
  .strictObject({
    perThousandNodeDays: z
      .number()
      .positive()
      .describe('Interruptions for 1,000 days of a node, as your own cluster had them; published clusters and their spread when left out')
      .exactOptional(),
    restart: z
      .enum(['job', 'in-process'])
      .describe('What a failure restarts: the whole job, or the training loop inside processes that go on; the job when left out')
      .exactOptional(),
    checkpointTo: z
      .enum(['storage', 'peers'])
      .describe(
        "Where checkpoints go: shared storage, or first into the memory of another node's host and every tenth to storage; storage when left out",
      )
      .exactOptional(),
    storageBandwidth: quantityText(
      'B/s',
      'What all nodes together write to storage; grows with the fleet when left out',
      '2 TB/s',
    ).exactOptional(),
    spot: z
      .strictObject({
        life: quantityText('s', 'Mean time until a node is taken away', '5d').exactOptional(),
        back: quantityText('s', 'Mean time until the provider has another node', '6h').exactOptional(),
        together: count('Nodes that are taken away at the same time; one when left out').exactOptional(),
      })
      .describe('All nodes may be taken away by the provider')
      .exactOptional(),
  })
  .describe('How often the run is interrupted, and what it does about it; for the forecast with failures')

const SPEC = z
  .strictObject({
    apiVersion: z.literal('ironlaw/v1').describe('Version of this format'),
    kind: z.literal('Train').describe('A training job'),
    name: name('Name of this job'),
    model: name('Name of a built-in model, or path of a config.json, relative to this file').meta({
      examples: ['llama-3.1-405b', './config.json'],
    }),
    tokens: quantityText('token', 'Tokens to train on', '15.6T tokens'),
    sequence: z
      .union([
        count('Tokens per sequence'),
        sequenceText.meta({ description: 'Tokens per sequence with k (1,024) or M (1,048,576)', examples: ['8k'] }),
      ])
      .describe('Tokens per sequence: a whole number, or with k or M as powers of two, so that 8k is 8,192'),
    globalBatch: z
      .union([
        count('Sequences per optimizer step'),
        batchText.meta({ description: 'Tokens per optimizer step, with their unit', examples: ['16M tokens'] }),
      ])
      .describe(
        'Batch of one optimizer step: a whole number of sequences, or tokens with their unit; tokens that do not make a whole number of sequences are rounded, within 5 %, to one that divides well over the fleet. By the size of the job when left out',
      )
      .exactOptional(),
    documents: documents.exactOptional(),
    method: z
      .enum(['next-token', 'dpo'])
      .exactOptional()
      .describe(
        'next-token, for pretraining and SFT, when left out; dpo for pairs of answers (each two sequences of the batch) against a frozen reference model',
      ),
    fleet: FLEET,
    precision: z.enum(PRECISIONS).describe('What is kept in which precision').exactOptional(),
    optimizer: OPTIMIZER.exactOptional(),
    lora: LORA.exactOptional().describe(
      'Adapters that precision lora or qlora trains beside the frozen model; rank 16 on all linear layers when left out',
    ),
    goal: z.enum(['time', 'cost', 'energy']).default('time').describe('What to minimize'),
    deadline: quantityText('s', 'Longest acceptable duration', '54d').exactOptional(),
    budget: quantityText('USD', 'Most to spend', '$5M').exactOptional(),
    region: name('Id of an electricity grid in the catalog').exactOptional(),
    price: quantityText('USD/s', 'Price per accelerator and time', '$2.50/h').exactOptional(),
    runtime: name('Framework whose overheads the prediction assumes').exactOptional(),
    expertImbalance: z
      .number()
      .min(1)
      .max(16)
      .describe(
        'With expert parallelism, tokens of the fullest rank over the mean; 1, as benchmarks force it, when left out. Qwen3-235B-A22B with its own router took 9 to 24 % longer than balanced (Megatron MoE model zoo), which 1.6 explains',
      )
      .exactOptional(),
    memory: memory.exactOptional(),
    strategy: STRATEGY.exactOptional(),
    failures: failures.exactOptional(),
    run: run.exactOptional(),
  })
  .refine(({ lora, precision }) => lora === undefined || precision === 'lora' || precision === 'qlora', {
    path: ['lora'],
    message: 'adapters are trained with precision lora or qlora; set one of them, or remove this',
  })
  .meta({ title: 'Ironlaw training spec', description: 'What a person wants trained: kind Train of ironlaw/v1' })

const FORMAT: SpecFormat<typeof SPEC> = {
  schema: SPEC,
  fields: {
    '': Object.keys(SPEC.shape),
    fleet: Object.keys(FLEET.shape),
    lora: Object.keys(LORA.shape),
    documents: Object.keys(documents.shape),
    'documents.lengths': Object.keys(DOCUMENT_LENGTHS.shape),
    memory: Object.keys(memory.shape),
    strategy: Object.keys(STRATEGY.shape),
    failures: Object.keys(failures.shape),
    'failures.spot': ['life', 'back', 'together'],
    run: Object.keys(run.shape),
    'run.resources': Object.keys(resources.shape),
    'run.checkpoints': Object.keys(CHECKPOINT_POLICY.shape),
  },
  unions: {
    sequence: 'expected a whole number of tokens such as 8192, or 8k',
    globalBatch: 'expected a whole number of sequences, or tokens with their unit such as "16M tokens"',
  },
}

export type TrainSpec = z.infer<typeof SPEC>

/** A spec as read from YAML or JSON, checked; the first problem is named, the others counted. */
export const parseTrainSpec = (value: unknown, file: string): TrainSpec => parseSpec(FORMAT, value, file)

/** The JSON Schema for editors, of what may be written: fields with a default may be left out. */
export const trainSpecSchema = (): z.core.JSONSchema.BaseSchema => z.toJSONSchema(SPEC, { io: 'input' })
