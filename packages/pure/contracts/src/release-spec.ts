// What a person writes to have a version of a model released: `kind: Release`. Each gate is a question with evidence; who may say yes, and what
// was waived, by whom and until when. A separate entry point, as everything that loads zod.

import * as z from 'zod'
import { count, name, parseSpec, quantityText, type SpecFormat } from './spec-format.ts'

const shortName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'lower-case letters, digits, dots, hyphens and underscores, at most 63')
const share = z.number().gt(0).lt(1)
const directory = (description: string) => name(description).meta({ examples: ['evaluations/after'] })

const evaluation = z.strictObject({
  before: directory('Evaluation of the model that serves, relative to this file'),
  after: directory('Evaluation of the new one, by the same instrument on the same items'),
  not_worse_by: share.default(0.02).describe('The new model may be worse by less than this'),
  looks: count('Candidates that these items judge: the risks hold for all of them together').max(1000).default(1),
  across: z
    .array(name('Of a field of the instrument'))
    .max(10)
    .default([])
    .describe('Compare although these fields differ, such as quantization'),
})

const latency = z.strictObject({
  evaluation: directory('Evaluation on the hardware that will serve'),
  ms: z.number().positive().describe('Milliseconds of an item'),
  percentile: z.number().gt(0).lt(100).default(95).describe('Of the items, in percent, that must be answered within it'),
})

const groups = z.strictObject({
  predictions: name('JSON lines with items of kind prediction: label, prediction, slices').meta({ examples: ['predictions.jsonl'] }),
  slice: name('Of the slice whose values are the groups').meta({ examples: ['region'] }),
  positive: z.union([z.string(), z.number()]).describe('The class that is a yes'),
  selection: share.describe('Smallest ratio of how often groups are selected; 0.8 is the four-fifths rule').exactOptional(),
  opportunity: share.describe('Largest gap of the share that is found').exactOptional(),
  odds: share.describe('Largest gap of the share that is found, and of false alarms').exactOptional(),
  precision: share.describe('Largest gap of the share of a yes that is right').exactOptional(),
  least: count('Cases that a share must rest on to be judged').default(30),
})

const quantization = z.strictObject({
  weights: name('Which of the exported kinds serves').meta({ examples: ['q8_0'] }),
  perplexity: z.number().positive().default(0.01).describe('Largest relative rise of the perplexity over 32 bits'),
  first_choice: z.number().gt(0).max(1).default(0.95).describe('Smallest share of prompts whose first choice is the same'),
})

const signature = z.strictObject({ key: name('Public key in PEM, relative to this file') })

const contamination = z.strictObject({
  items: name('JSON lines of the evaluation, relative to this file').meta({ examples: ['items.jsonl'] }),
  data: z
    .array(name('A dataset that "ironlaw data build" wrote, or files of JSON lines or Parquet, relative to this file'))
    .min(1)
    .max(100)
    .describe('All that the model was trained on')
    .meta({ examples: [['data/corpus']] }),
  fields: z.array(name('Of an item')).min(1).exactOptional().describe('Fields of an item that are searched for; all texts when left out'),
  at_most: share.default(0.02).describe('Share of the items that may be found in the data'),
  evaluation: directory('Evaluation on these items, to show the score without those that were found').exactOptional(),
})

const card = z.strictObject({})

const scope = z
  .strictObject({
    use: name('What it will be used for, as in its fact intended_use').exactOptional(),
    languages: z.array(name('Such as en')).min(1).max(200).describe('Languages that it will serve').exactOptional(),
    context_tokens: count('Tokens of the longest request with its answer').exactOptional(),
  })
  .refine((own) => Object.values(own).some((each) => each !== undefined), { message: 'use, languages or context_tokens is needed' })

const memory = z.strictObject({
  evaluation: directory('Evaluation on the hardware that will serve'),
  at_most: quantityText('B', 'Most memory that the engine may hold', '24 GB'),
})

const GATES = { evaluation, latency, memory, groups, contamination, quantization, scope, card, signature } as const

export type GateKind = keyof typeof GATES
export const GATE_KINDS = Object.keys(GATES) as readonly GateKind[]

const gate = z
  .strictObject({
    name: shortName.describe('Unique among the gates; the kind of the gate when left out').exactOptional(),
    evaluation: evaluation.describe('The new model is not worse than the one that serves').exactOptional(),
    latency: latency.describe('It answers in time').exactOptional(),
    groups: groups.describe('It treats groups alike').exactOptional(),
    quantization: quantization.describe('What serves is numerically what was trained').exactOptional(),
    signature: signature.describe('Its files are those that were signed').exactOptional(),
    contamination: contamination.describe('It was not trained on what it is evaluated with').exactOptional(),
    card: card.describe('All that its card needs is known').exactOptional(),
    scope: scope.describe('It is meant for what it will serve').exactOptional(),
    memory: memory.describe('It fits where it will serve').exactOptional(),
  })
  .refine((own) => GATE_KINDS.filter((kind) => own[kind] !== undefined).length === 1, {
    message: `expected one of ${GATE_KINDS.join(', ')}`,
  })

export const RELEASE_WAIVER = z.strictObject({
  gate: shortName.describe('Name of the gate'),
  why: name('Reason, for whoever asks later'),
  by: name('Who answers for it'),
  until: z.iso.date('expected a date such as 2027-03-31').describe('Last day on which it holds'),
})

const SPEC = z
  .strictObject({
    apiVersion: z.literal('ironlaw/v1').describe('Version of this format'),
    kind: z.literal('Release').describe('Whether a version of a model may serve'),
    name: shortName.describe('Name of the release'),
    model: name('Directory of the version, as "ironlaw export" wrote it, relative to this file').meta({ examples: ['models/tiny'] }),
    facts: z
      .record(z.string().max(100), z.string())
      .default({})
      .describe('What is known of its code, data, configuration and environment, where the directory does not say'),
    gates: z.array(gate).min(1, 'a release without a gate is not judged').max(50),
    risk: z
      .strictObject({
        false_block: share.max(0.5).default(0.05).describe('Chance of refusing a model that is equal, of each gate'),
        miss: share.max(0.5).default(0.05).describe('Chance of passing one that is off by the limit, of each gate'),
      })
      .prefault({}),
    waivers: z.array(RELEASE_WAIVER).max(50).default([]),
  })
  .superRefine(({ gates, waivers }, context) => {
    const names = gates.map(gateName)
    for (const [index, own] of names.entries())
      if (names.indexOf(own) < index)
        context.addIssue({ code: 'custom', path: ['gates', index, 'name'], message: `"${own}" is there twice: name them` })
    for (const [index, { gate: waived }] of waivers.entries())
      if (!names.includes(waived) && waived !== COMPLETE)
        context.addIssue({ code: 'custom', path: ['waivers', index, 'gate'], message: `there is no gate "${waived}": ${names.join(', ')}` })
    if (waivers.some(({ gate: waived }) => waived === COMPLETE))
      context.addIssue({ code: 'custom', path: ['waivers'], message: `"${COMPLETE}" cannot be waived: state the facts` })
  })
  .meta({ title: 'Ironlaw release spec', description: 'Gates that a version of a model must pass: kind Release of ironlaw/v1' })

/** The gate that every release has: code, data, configuration and environment are known. */
export const COMPLETE = 'complete'

export type ReleaseGate = z.output<typeof gate>

/** The kind stands for it where it has no name. */
export const gateName = (own: ReleaseGate): string => own.name ?? GATE_KINDS.find((kind) => own[kind] !== undefined) ?? ''

const FORMAT: SpecFormat<typeof SPEC> = {
  schema: SPEC,
  fields: {
    '': Object.keys(SPEC.shape),
    'gates.*': Object.keys(gate.shape),
    'gates.*.evaluation': Object.keys(evaluation.shape),
    'gates.*.latency': Object.keys(latency.shape),
    'gates.*.groups': Object.keys(groups.shape),
    'gates.*.quantization': Object.keys(quantization.shape),
    'gates.*.signature': Object.keys(signature.shape),
    'gates.*.contamination': Object.keys(contamination.shape),
    'gates.*.scope': Object.keys(scope.shape),
    'gates.*.memory': Object.keys(memory.shape),
    risk: ['false_block', 'miss'],
    'waivers.*': Object.keys(RELEASE_WAIVER.shape),
  },
}

export type ReleaseSpec = z.output<typeof SPEC>
export type ReleaseWaiver = z.output<typeof RELEASE_WAIVER>

/** A spec as read from YAML or JSON, checked. */
export const parseReleaseSpec = (value: unknown, file: string): ReleaseSpec => parseSpec(FORMAT, value, file)

/** The JSON Schema for editors, of what may be written: fields with a default may be left out. */
export const releaseSpecSchema = (): z.core.JSONSchema.BaseSchema => z.toJSONSchema(SPEC, { io: 'input' })
