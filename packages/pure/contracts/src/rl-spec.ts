// What a person writes to have a model trained by reinforcement: `kind: RL`. Engines generate answers, a trainer learns from them, and the
// new weights go back to the engines. A separate entry point, like every spec.

import * as z from 'zod'
import { DOCUMENT_LENGTHS } from './document-lengths.ts'
import { OPTIMIZER } from './optimizer.ts'
import { count, name, parseSpec, quantityText, type SpecFormat } from './spec-format.ts'
import { FLEET, PRECISIONS, STRATEGY } from './train-spec.ts'

const generation = z
  .strictObject({
    devices: count('Accelerators that generate; chosen so that neither side waits when left out').exactOptional(),
    tensor: count('Tensor-parallel ranks of one engine; chosen when left out').exactOptional(),
    engine: z.enum(['vllm', 'sglang', 'tensorrt-llm']).default('vllm').describe('Engine that generates'),
  })
  .describe('The side that generates')

const FIELDS = z.strictObject({
  apiVersion: z.literal('ironlaw/v1').describe('Version of this format'),
  kind: z.literal('RL').describe('Reinforcement learning of a language model'),
  name: name('Name of this job'),
  model: name('Name of a built-in model, or path of a config.json, relative to this file').meta({
    examples: ['llama-3.1-8b', './config.json'],
  }),
  algorithm: z
    .enum(['grpo', 'ppo'])
    .default('grpo')
    .describe('grpo compares the answers to one prompt; ppo trains a critic of the size of the model as well'),
  steps: count('Steps: rounds of generating and learning'),
  prompts: count('Prompts per step'),
  samples: count('Answers per prompt'),
  updateBatch: count('Answers per optimizer update; all of a step when left out').exactOptional(),
  promptTokens: count('Mean tokens of a prompt'),
  answers: DOCUMENT_LENGTHS.describe('Tokens of an answer'),
  longestAnswer: count('Tokens at which an answer is cut'),
  reference: z.boolean().default(true).describe('Whether a frozen reference model is run, for the divergence from it'),
  placement: z
    .enum(['colocated', 'separate'])
    .exactOptional()
    .describe('Engines and trainer take turns on the same accelerators, or have their own; the faster one when left out'),
  staleness: z
    .int()
    .min(0)
    .max(64)
    .default(0)
    .describe(
      'By how many steps the weights that generate may lag behind: 0 is on-policy, and both sides take turns; with 1 they work at once; from 2 on, engines do not wait for the longest answer either',
    ),
  fleet: FLEET,
  precision: z.enum(PRECISIONS).describe('What the trainer keeps in which precision; bf16-mixed when left out').exactOptional(),
  optimizer: OPTIMIZER.exactOptional(),
  runtime: name('Framework whose overheads the prediction of the trainer assumes').exactOptional(),
  strategy: STRATEGY.exactOptional(),
  generation: generation.prefault({}),
  price: quantityText('USD/s', 'Price per accelerator and time', '$2.50/h').exactOptional(),
})
/** Sizes that contradict each other, each with the field to change. */
const CONTRADICTIONS: readonly {
  readonly path: readonly string[]
  readonly when: (spec: z.infer<typeof FIELDS>) => boolean
  readonly problem: (spec: z.infer<typeof FIELDS>) => string
}[] = [
  {
    path: ['staleness'],
    when: ({ placement, staleness }) => placement === 'colocated' && staleness > 0,
    problem: () => 'engines and trainer that share accelerators take turns: set staleness: 0, or placement: separate',
  },
  {
    path: ['generation', 'devices'],
    when: ({ placement, generation: { devices } }) => placement === 'colocated' && devices !== undefined,
    problem: () => 'engines that share the accelerators of the trainer use all of them: remove this, or set placement: separate',
  },
  {
    path: ['fleet', 'count'],
    when: ({ placement, staleness, fleet }) =>
      fleet.count === 1 && (placement === 'separate' || (placement !== 'colocated' && staleness > 0)),
    problem: () =>
      'one accelerator cannot be divided between engines and trainer: take at least 2, or placement: colocated with staleness: 0',
  },
  {
    path: ['generation', 'devices'],
    when: ({ placement, fleet, generation: { devices } }) => placement !== 'colocated' && fleet.count > 1 && (devices ?? 0) >= fleet.count,
    problem: ({ fleet }) => `the trainer needs accelerators of its own: of ${fleet.count}, at most ${fleet.count - 1} can generate`,
  },
  {
    path: ['generation', 'tensor'],
    when: ({ fleet, generation: { devices = fleet.count, tensor = 1 } }) => tensor > Math.min(devices, fleet.count),
    problem: ({ fleet, generation: { devices = fleet.count, tensor } }) =>
      `an engine of ${tensor} accelerators is larger than the ${Math.min(devices, fleet.count)} that generate`,
  },
  {
    path: ['updateBatch'],
    when: ({ updateBatch = 1, prompts, samples }) => updateBatch > prompts * samples,
    problem: ({ prompts, samples }) =>
      `a step has ${prompts} x ${samples} = ${(prompts * samples).toLocaleString('en')} answers: take at most as many, or remove this`,
  },
  {
    path: ['longestAnswer'],
    when: ({ answers: { mean = 0 }, longestAnswer }) => mean > longestAnswer,
    problem: ({ answers }) => `answers have a mean of ${answers.mean} tokens and would nearly all be cut: take more than that`,
  },
]

const SPEC = FIELDS.superRefine((spec, context) => {
  for (const { path, when, problem } of CONTRADICTIONS)
    if (when(spec)) context.addIssue({ code: 'custom', path: [...path], message: problem(spec) })
}).meta({ title: 'Ironlaw RL spec', description: 'What a person wants trained by reinforcement: kind RL of ironlaw/v1' })

const FORMAT: SpecFormat<typeof SPEC> = {
  schema: SPEC,
  fields: {
    '': Object.keys(FIELDS.shape),
    fleet: Object.keys(FLEET.shape),
    strategy: Object.keys(STRATEGY.shape),
    answers: Object.keys(DOCUMENT_LENGTHS.shape),
    generation: Object.keys(generation.shape),
  },
}

export type RlSpec = z.infer<typeof SPEC>

export const parseRlSpec = (value: unknown, file: string): RlSpec => parseSpec(FORMAT, value, file)

export const rlSpecSchema = (): z.core.JSONSchema.BaseSchema => z.toJSONSchema(SPEC, { io: 'input' })
