// A training plan: a complete decision with its prediction. It is immutable and named by its content, so the plan that was priced is the
// plan that runs: the id in a job's name proves which numbers it was started with. Bare numbers end in their unit. The only declaration:
// planner, exporters and console use its type, and plans from outside are parsed with the schema. A separate entry point, like
// everything that loads zod.

import * as z from 'zod'
import { CAPACITY } from './capacity.ts'
import { DISPATCHERS, RECOMPUTE_MODULES } from './experts.ts'
import { LORA } from './lora.ts'
import { OPTIMIZER } from './optimizer.ts'
import { STEP_CAUSES } from './step-cause.ts'

const count = z.int().positive()
const amount = z.number().nonnegative()
const time = z.number().positive()

export const TRAINING_DECISION = z
  .object({
    tensor: count,
    sequenceParallel: z.boolean().describe('Norms and residuals are divided along the sequence among the tensor-parallel ranks'),
    context: count,
    contextBy: z.enum(['ring', 'all-to-all']),
    pipeline: count,
    virtual: count.describe('Chunks of layers per pipeline rank'),
    schedule: z.enum(['1f1b', 'gpipe', 'interleaved', 'zero-bubble', 'dualpipe']),
    expert: count,
    dispatcher: z
      .enum(DISPATCHERS)
      .exactOptional()
      .describe('With expert parallelism, how tokens reach their experts and come back; alltoall when absent'),
    dispatchPrecision: z
      .enum(['bf16', 'fp8'])
      .exactOptional()
      .describe('Precision of tokens on the way to their experts; bf16 when absent, as on the way back always'),
    expertOverlap: z
      .boolean()
      .exactOptional()
      .describe('Whether the exchange with experts travels under the passes of another microbatch; it does not when absent'),
    data: count,
    shards: z
      .enum(['nothing', 'optimizer', 'gradients', 'weights'])
      .describe('What the data-parallel ranks divide among themselves: ZeRO stages 0 to 3; "weights" is FSDP'),
    shardGroup: count
      .exactOptional()
      .describe('Ranks, of those of data and context together, among which is sharded while the rest replicate (HSDP); all when absent'),
    microbatch: count.describe('Sequences per data-parallel rank and pass'),
    recompute: z.enum(['none', 'selective', 'full']),
    recomputeModules: z
      .array(z.enum(RECOMPUTE_MODULES))
      .readonly()
      .exactOptional()
      .describe('What selective recomputation covers; the attention core alone when absent'),
    optimizerOn: z.enum(['device', 'host', 'nvme']).describe('Where states and master copies are stored; off the device they cost time'),
    precision: z.string().describe('Name of a precision policy'),
  })
  .readonly()

const MODEL = z
  .object({
    name: z.string(),
    layers: count,
    width: count,
    heads: amount,
    kvHeads: amount,
    inner: amount.describe('Width inside one feed-forward block, or inside one expert'),
    vocabulary: count,
    experts: count.exactOptional(),
    activeExperts: count.exactOptional(),
    gated: z.boolean(),
    tied: z.boolean().exactOptional().describe('Whether the output projection is the token table; the default of the family when absent'),
    headWidth: count.exactOptional().describe('Width of one attention head, where it is not width / heads'),
    modelType: z.string().describe("As Hugging Face's `model_type`"),
  })
  .readonly()

const FLEET = z
  .object({
    accelerator: z.string(),
    devices: count,
    perNode: count.describe('Joined by the fast links'),
    perHost: count.exactOptional().describe('On one host, where the fast links join several'),
  })
  .readonly()

const PREDICTION = z
  .object({
    step_s: time,
    step_low_s: time,
    step_high_s: time,
    tokens_per_s_per_device: time,
    mfu: amount,
    hfu: amount,
    memory_bytes: amount,
    memory_limit_bytes: amount,
    memory_probability: z
      .number()
      .min(0)
      .max(1)
      .exactOptional()
      .describe('That the fullest device has room, given how far the account is off'),
    duration_s: time,
    cost_usd: amount.exactOptional(),
    energy_j: amount.exactOptional(),
    carbon_g: amount.exactOptional(),
    embodied_g: amount.exactOptional().describe("The run's share of the emissions from making the accelerators"),
    causes_s: z.partialRecord(z.enum(STEP_CAUSES), amount).readonly().describe('One step by cause'),
    capacities: z.array(CAPACITY).readonly().exactOptional().describe('How full each resource of a device is, averaged over a step'),
    measured: z
      .object({ note: z.string(), corrections: z.record(z.string(), z.number().positive()).readonly() })
      .readonly()
      .exactOptional()
      .describe('Your own measurements that the prediction uses, and the factor by which finished runs corrected each class of work'),
  })
  .readonly()

export const TRAINING_PLAN = z
  .object({
    apiVersion: z.literal('ironlaw/v1'),
    kind: z.literal('TrainingPlan'),
    id: z.string(),
    name: z.string(),
    model: MODEL,
    tokens: time,
    sequence: count.describe('Tokens per sequence'),
    globalBatch: count.describe('Sequences per optimizer step'),
    method: z
      .enum(['next-token', 'dpo'])
      .exactOptional()
      .describe('next-token when absent; dpo: pairs of answers, two sequences of the batch each, against a frozen reference model'),
    packed: z
      .boolean()
      .exactOptional()
      .describe(
        'Whether several documents share a sequence, each attending to itself alone, or each is padded to one; a sequence is one document when absent',
      ),
    optimizer: OPTIMIZER.exactOptional().describe('What updates the weights; Adam when absent'),
    lora: LORA.readonly()
      .exactOptional()
      .describe('Adapters that are trained beside the frozen model; all weights are trained when absent'),
    fleet: FLEET,
    runtime: z
      .object({
        name: z.string(),
        overlapsTensor: z.boolean(),
        overlapsData: z.boolean().exactOptional().describe('Whether gradients and weights travel under the passes; they do when absent'),
      })
      .readonly()
      .exactOptional()
      .describe('The software that the prediction assumes, and whether it hides tensor-parallel exchange under products'),
    decision: TRAINING_DECISION,
    prediction: PREDICTION,
  })
  .readonly()
  .meta({ id: 'TrainingPlan' })

export type TrainingDecision = z.infer<typeof TRAINING_DECISION>
export type TrainingPlan = z.infer<typeof TRAINING_PLAN>
