// What a person writes to have a model evaluated: `kind: Evaluate`. Which items, asked of which engine and how, and how sure a comparison has to
// be. A separate entry point, as everything that loads zod.

import * as z from 'zod'
import { ARTIFACT_REFERENCE } from './artifact.ts'
import { count, name, parseSpec, quantityText, type SpecFormat } from './spec-format.ts'

/** What counts as an item's score, by task; the first when none is stated. */
export const TASK_METRICS = {
  choice: ['accuracy', 'accuracy_per_byte', 'accuracy_per_character'],
  continuation: ['accuracy'],
  text: ['byte_probability'],
  answer: ['exact_match'],
  program: ['passed'],
  judged: ['judged'],
  prediction: ['accuracy'],
} as const

export type EvaluatedTask = keyof typeof TASK_METRICS

const TASKS = ['choice', 'continuation', 'text', 'answer', 'program', 'judged', 'prediction'] as const satisfies readonly EvaluatedTask[]
const METRICS = ['accuracy', 'accuracy_per_byte', 'accuracy_per_character', 'byte_probability', 'exact_match', 'passed', 'judged'] as const
export type ScoredMetric = (typeof METRICS)[number]

const shortName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'lower-case letters, digits, dots, hyphens and underscores, at most 63')
const risk = (description: string) => z.number().gt(0).max(0.5).default(0.05).describe(description)

const items = z
  .strictObject({
    file: name('JSON lines with one item each, relative to this file')
      .meta({ examples: ['items.jsonl'] })
      .exactOptional(),
    artifact: ARTIFACT_REFERENCE.describe('Alternatively an artifact that holds one such file').exactOptional(),
  })
  .refine(({ file, artifact }) => (file === undefined) !== (artifact === undefined), {
    path: ['file'],
    message: 'either a file or an artifact is needed, and not both',
  })

const engine = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'expected a URL such as http://127.0.0.1:8000' })
    .describe("Of a server of OpenAI's API, without /v1")
    .meta({ examples: ['http://127.0.0.1:8000'] })
    .exactOptional(),
  deployment: shortName.describe('Alternatively a deployment, asked through the gateway').exactOptional(),
  model: name('Which of its models; the only one when left out').exactOptional(),
  concurrency: count('Items that are asked about at the same time').max(1024).default(8),
  context: count('Tokens of one request, where the engine does not say').exactOptional(),
  quantization: name('Of the weights, where the engine does not say')
    .meta({ examples: ['q4_k_m'] })
    .exactOptional(),
})

const JUDGE_PROMPT = 'Judge whether the answer to the question is right. Where a reference answer is given, the answer must agree with it.'

const judge = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'expected a URL such as http://127.0.0.1:8000' })
    .describe("Of a server of OpenAI's API, without /v1")
    .meta({ examples: ['http://127.0.0.1:8001'] }),
  model: name('Which of its models; the only one when left out').exactOptional(),
  prompt: name('What it is told before question, reference and answer; part of the instrument').default(JUDGE_PROMPT),
  most_tokens: count('Tokens after which its verdict ends').max(100_000).default(16),
})

const predictor = z.strictObject({
  model: name('Whose predictions stand in the items').meta({ examples: ['credit-7'] }),
  weights: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'expected a digest of 64 hexadecimal digits')
    .describe('Digest of the model, to find it in the registry')
    .exactOptional(),
  program: name('What made them, with its version; part of the instrument')
    .meta({ examples: ['scikit-learn 1.9.1'] })
    .exactOptional(),
})

const tokenizer = z.strictObject({
  file: name("The model's tokenizer.json, relative to this file"),
  prefix: name('Token that stands before a text that nothing else does').meta({ examples: ['<|endoftext|>'] }),
})

const sampling = z.strictObject({
  temperature: z.number().min(0).max(2).default(0).describe('0 takes the likeliest token'),
  top_p: z.number().gt(0).max(1).default(1),
  seed: z.int().nonnegative().default(1),
})

const sandbox = z.strictObject({
  interpreter: name('Python that runs the programs; it and its packages are part of the instrument').default('/usr/bin/python3'),
  time: quantityText('s', 'Longest that a program with its tests may run', '10 s').default('10 s'),
  memory: quantityText('B', 'Of each of its processes', '512 MB').default('512 MB'),
  processes: count('Processes and threads at the same time').max(1000).default(8),
  output: quantityText('B', 'What it may print', '1 MB').default('1 MB'),
})

const SPEC = z
  .strictObject({
    apiVersion: z.literal('ironlaw/v1').describe('Version of this format'),
    kind: z.literal('Evaluate').describe('A model, asked about items'),
    name: shortName.describe('Name of the evaluation'),
    items: items.describe('What is asked'),
    task: z.enum(TASKS).describe('Kind of the items'),
    metric: z.enum(METRICS).describe('What an item is worth in comparisons').exactOptional(),
    engine: engine.prefault({}).describe('Who is asked'),
    judge: judge.describe('Of task judged: a model that says whether an answer is right').exactOptional(),
    predictor: predictor.describe('Of task prediction, whose items hold what a model said').exactOptional(),
    tokenizer: tokenizer.describe('Needed where the chance of given text is asked for: choice, continuation, text').exactOptional(),
    template: z.enum(['none', 'chat']).default('none').describe('chat: a prompt is the message of a user, laid out by the model'),
    system: name('First message of every chat').exactOptional(),
    sampling: sampling.prefault({}),
    sandbox: sandbox.prefault({}).describe('Where the programs of task program run'),
    slices: z.array(name('Of a slice of the items')).max(20).default([]).describe('Parts that are judged on their own, such as language'),
    repeats: count('Times that all items are asked, each with the next seed: the noise of the instrument, and tries of a program')
      .max(200)
      .default(1),
    margin: z.number().gt(0).lt(1).default(0.02).describe('A new model may be worse by less than this'),
    risk: z
      .strictObject({
        false_block: risk('Chance of refusing a model that is equal'),
        miss: risk('Chance of passing one that is worse by the margin'),
      })
      .prefault({}),
    looks: count('Candidates that this set may judge before it is used up: the risks hold for all of them together').max(1000).default(1),
    differing: z
      .number()
      .gt(0)
      .max(1)
      .describe('Share of the items on which two models differ, for plans; 0.1 when left out and not measured')
      .exactOptional(),
  })
  .superRefine(checkSpec)
  .meta({ title: 'Ironlaw evaluation spec', description: 'A model, asked about items: kind Evaluate of ironlaw/v1' })

type WrittenSpec = {
  readonly task: EvaluatedTask
  readonly engine: { readonly url?: string; readonly deployment?: string }
  readonly judge?: unknown
  readonly predictor?: unknown
  readonly metric?: ScoredMetric
  readonly tokenizer?: unknown
  readonly template: 'none' | 'chat'
  readonly system?: string
  readonly slices: readonly string[]
}

function checkSpec(written: WrittenSpec, context: z.RefinementCtx): void {
  const { task, metric, tokenizer: reads, template, system, slices, engine: asked, predictor: said, judge: asks } = written
  const refuse = (path: (string | number)[], message: string): void => context.addIssue({ code: 'custom', path, message })
  const known: readonly ScoredMetric[] = TASK_METRICS[task]
  if (metric !== undefined && !known.includes(metric)) refuse(['metric'], `task ${task} has ${known.join(', ')}`)
  const isAsked = task !== 'prediction'
  const engines = [asked.url, asked.deployment].filter((each) => each !== undefined).length
  if (isAsked && engines !== 1) refuse(['engine', 'url'], 'either a url or a deployment is needed, and not both')
  if (!isAsked && engines > 0) refuse(['engine'], 'task prediction asks no engine: its items hold what was said')
  if (!isAsked && said === undefined) refuse(['predictor'], 'missing; task prediction has to say whose predictions these are')
  if (isAsked && said !== undefined) refuse(['predictor'], 'belongs to task prediction')
  if ((task === 'judged') !== (asks !== undefined))
    refuse(['judge'], task === 'judged' ? 'missing; task judged has a model as judge' : 'belongs to task judged')
  const isGenerated = task !== 'choice' && task !== 'continuation' && task !== 'text'
  if (!isGenerated && reads === undefined) refuse(['tokenizer'], `missing; task ${task} asks for the chance of tokens`)
  if (!isGenerated && template === 'chat') refuse(['template'], `task ${task} asks for the chance of text as it stands: none`)
  if (system !== undefined && template === 'none') refuse(['system'], 'belongs to template chat')
  for (const [index, slice] of slices.entries()) if (slices.indexOf(slice) < index) refuse(['slices', index], `"${slice}" is there twice`)
}

const FORMAT: SpecFormat<typeof SPEC> = {
  schema: SPEC,
  fields: {
    '': Object.keys(SPEC.shape),
    items: Object.keys(items.shape),
    engine: Object.keys(engine.shape),
    judge: Object.keys(judge.shape),
    predictor: Object.keys(predictor.shape),
    tokenizer: Object.keys(tokenizer.shape),
    sampling: Object.keys(sampling.shape),
    sandbox: Object.keys(sandbox.shape),
    risk: ['false_block', 'miss'],
  },
}

export type EvaluateSpec = z.output<typeof SPEC>

/** A spec as read from YAML or JSON, checked. */
export const parseEvaluateSpec = (value: unknown, file: string): EvaluateSpec => parseSpec(FORMAT, value, file)

export const scoredMetric = ({ task, metric }: Pick<EvaluateSpec, 'task' | 'metric'>): ScoredMetric => metric ?? TASK_METRICS[task][0]

/** The JSON Schema for editors, of what may be written: fields with a default may be left out. */
export const evaluateSpecSchema = (): z.core.JSONSchema.BaseSchema => z.toJSONSchema(SPEC, { io: 'input' })
