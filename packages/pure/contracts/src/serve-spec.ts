// What a person writes to have a model served: `kind: Serve`. A separate entry point (`@ironlaw/contracts/serve-spec`), so that code
// that only needs the nouns never loads zod.

import * as z from 'zod'
import { ARTIFACT_REFERENCE } from './artifact.ts'
import { DESIRED_SPEC } from './deployment-api.ts'
import { SECRET_REFERENCES } from './secrets.ts'
import { ADAPTER_TARGETS, SPECULATION_METHODS } from './serving-plan.ts'
import { CACHE_PRECISIONS, WEIGHT_PRECISIONS } from './serving-precision.ts'
import { count, name, parseSpec, quantityText, type SpecFormat } from './spec-format.ts'

const HOURS = 24

const traffic = z
  .strictObject({
    requests_per_s: z.number().positive().describe('Peak requests per second'),
    input_tokens: count('Tokens of a prompt, on average'),
    output_tokens: count('Tokens of an answer, on average'),
    daily: z
      .array(z.number().min(0).max(1))
      .length(HOURS)
      .describe('Share of the peak that comes in each hour of a day, from midnight')
      .exactOptional(),
    trace: name('Path of a trace of requests that stands for a day').exactOptional(),
    cachedPrompt: z.number().min(0).max(0.99).default(0).describe('Share of prompt tokens found in the prefix cache'),
  })
  .describe('Traffic')

const objectives = z
  .strictObject({
    ttft: quantityText('s', 'Longest time to the first token', '500 ms'),
    tpot: quantityText('s', 'Longest time per further token', '50 ms'),
    percentile: z.enum(['mean', 'p50', 'p90', 'p99']).default('p90').describe('Percentile of the requests for which both must hold'),
    probability: z
      .number()
      .min(0.5)
      .max(0.99)
      .default(0.9)
      .describe('Chance that both hold, given how far predictions are off; the fleet is sized for it'),
  })
  .describe('Latency objectives')

const layout = z
  .strictObject({
    tensor: count('Tensor-parallel ranks').exactOptional(),
    pipeline: count('Pipeline stages').exactOptional(),
    data: count('Copies of the attention that share the experts').exactOptional(),
    expert: count('Expert-parallel ranks').exactOptional(),
  })
  .describe('Decisions fixed in advance; the planner makes the rest')

const speculation = z
  .strictObject({
    method: z
      .enum(SPECULATION_METHODS)
      .describe(
        'Who proposes tokens: layers of the model itself (mtp, the default for models that have them), a head on it (eagle, eagle3), a smaller model (draft), or n-grams of the text so far',
      )
      .exactOptional(),
    model: name('Name of a built-in model, or path of a config.json: the model that proposes, for method draft').exactOptional(),
    draftedTokens: z.int().min(1).max(16).default(3).describe('Tokens proposed per step'),
    acceptance: z
      .number()
      .min(0)
      .max(0.99)
      .describe('Chance that a proposed token is kept, given that those before it were; as published for the method when left out')
      .exactOptional(),
  })
  .describe('Speculative decoding; plain when left out')

const adapters = z
  .strictObject({
    count: count('Adapters that are served'),
    rank: count('Rank of an adapter').default(16),
    targets: z
      .array(z.enum(ADAPTER_TARGETS))
      .min(1)
      .default([...ADAPTER_TARGETS])
      .describe('Projections that are adapted'),
    activePerBatch: count('Adapters on a device at once, and so in one batch; all when left out').exactOptional(),
  })
  .describe('Low-rank adapters (LoRA) on the model; none when left out')

const offload = z
  .strictObject({
    host: quantityText('B', 'Memory of the host for keys and values, of each device', '64 GB'),
    drive: quantityText('B', 'Room on its drive for the same, of each device', '1 TB').exactOptional(),
    reuseAfter: quantityText('s', 'Time after which a prompt comes back, on average', '5 min'),
  })
  .describe('Keys and values of prompts that come back (traffic.cachedPrompt) kept outside the device; on the device alone when left out')

const quality = z
  .strictObject({
    suite: name('Name of the evaluations that "ironlaw calibrate quality" compared').meta({ examples: ['chat-quality'] }),
    margin: z
      .number()
      .gt(0)
      .lt(1)
      .describe('A precision is planned only where its score is shown to be less than this below the reference: 0.01 is one point'),
    reference: z.enum(WEIGHT_PRECISIONS).default('bf16').describe('Precision that needs no measurement'),
    model: name('Name under which the quality was measured; that of the model when left out').exactOptional(),
  })
  .describe('Quality that the precision must keep; any when left out')

const { replicas, plan: _plan, ...kept } = DESIRED_SPEC.shape

const deploy = z
  .strictObject({
    program: z
      .array(z.string().min(1))
      .min(1)
      .describe(
        'Command that starts one engine; it writes its URL and, as a second line, IRONLAW_REPLICA_TOKEN to the file that IRONLAW_ENDPOINT_FILE names',
      )
      .meta({ examples: [['ironlaw', 'engine', '--model', 'models/tiny']] }),
    engine: z
      .enum(['vllm', 'sglang', 'llamacpp'])
      .exactOptional()
      .describe('Engine of the program: the flags that the plan decides are appended to it. When left out, the program is used unchanged'),
    directory: z.string().default('.').describe('Working directory, relative to this file'),
    environment: z.record(z.string(), z.string()).default({}).describe('Added to the environment of the engine'),
    secrets: SECRET_REFERENCES.exactOptional(),
    model: name('Name by which the engine knows the model; the name of the deployment when left out').exactOptional(),
    version: ARTIFACT_REFERENCE.exactOptional().describe(
      'Version of the model in the registry, which "ironlaw engine" compares its files with: id or its beginning, name, or name@version',
    ),
    processes: count('Slots that a replica takes on its node; the accelerators of one by the plan when left out').exactOptional(),
    max_running: count('Requests that one replica takes at once').default(64),
    project: name('Project that its cost is booked to').default('default'),
    team: name('Whose project it is').default('default'),
    replicas: replicas.exactOptional().describe('Number of replicas; as many as planned when left out'),
    ...kept,
  })
  .describe('What to start when the plan is applied')

const SPEC = z
  .strictObject({
    apiVersion: z.literal('ironlaw/v1').describe('Version of this format'),
    kind: z.literal('Serve').describe('A served model'),
    name: name('Name of this deployment'),
    model: name('Name of a built-in model, or path of a config.json, relative to this file').meta({
      examples: ['Llama-3.1-70B', './config.json'],
    }),
    traffic,
    objectives,
    accelerators: z
      .array(name('Id of an accelerator in the catalog'))
      .min(1)
      .describe('Kinds of accelerators to choose from; all that were measured when left out')
      .exactOptional(),
    engine: z
      .enum(['vllm', 'sglang', 'tensorrt-llm', 'llamacpp'])
      .default('vllm')
      .describe('Serving engine; llamacpp uses one device per replica, and its figures are estimates'),
    precisions: z.array(z.enum(WEIGHT_PRECISIONS)).min(1).describe('Precisions of the weights to choose from').exactOptional(),
    cache: z.enum(CACHE_PRECISIONS).default('bf16').describe('Precision of the key-value cache'),
    quality: quality.exactOptional(),
    spare: z.int().min(0).default(1).describe('Replicas beyond those that carry the peak'),
    goal: z.enum(['cost', 'devices']).default('cost').describe('What to minimize'),
    disaggregated: z.enum(['allowed', 'never', 'only']).default('allowed').describe('Prefill and decoding on separate replicas'),
    price: quantityText('USD/s', 'Price per accelerator and time, of whichever kind', '$2.50/h').exactOptional(),
    coldStart: quantityText('s', 'From the decision for one more replica until it serves', '60 s').default('60 s'),
    layout: layout.exactOptional(),
    deploy: deploy.exactOptional(),
    speculation: speculation.exactOptional(),
    adapters: adapters.exactOptional(),
    offload: offload.exactOptional(),
  })
  .meta({ title: 'Ironlaw serving spec', description: 'What a person wants served: kind Serve of ironlaw/v1' })

const FORMAT: SpecFormat<typeof SPEC> = {
  schema: SPEC,
  fields: {
    '': Object.keys(SPEC.shape),
    traffic: Object.keys(traffic.shape),
    objectives: Object.keys(objectives.shape),
    quality: Object.keys(quality.shape),
    layout: Object.keys(layout.shape),
    deploy: Object.keys(deploy.shape),
    'deploy.scaling': Object.keys(DESIRED_SPEC.shape.scaling.unwrap().shape),
    speculation: Object.keys(speculation.shape),
    adapters: Object.keys(adapters.shape),
    offload: Object.keys(offload.shape),
  },
}

export type ServeSpec = z.infer<typeof SPEC>

/** A spec as read from YAML or JSON, checked; the first problem is named, the others counted. */
export const parseServeSpec = (value: unknown, file: string): ServeSpec => parseSpec(FORMAT, value, file)

/** The JSON Schema for editors, of what may be written: fields with a default may be left out. */
export const serveSpecSchema = (): z.core.JSONSchema.BaseSchema => z.toJSONSchema(SPEC, { io: 'input' })
