// Items of an evaluation, one JSON line each, and what came of each one. The kind of the task says which fields an item has. A separate entry
// point, as everything that loads zod.

import * as z from 'zod'
import { IronlawError } from './error.ts'
import { parseSpec, type SpecFormat } from './spec-format.ts'

const MOST_CHOICES = 100
const MOST_TEXT = 10_000_000
const text = z.string().max(MOST_TEXT)
const someText = text.min(1, 'must not be empty')
const id = z.string().min(1, 'must not be empty').max(200)
const pattern = z
  .string()
  .min(1)
  .max(1000)
  .refine((source) => isPattern(source), 'is not a regular expression')

const about = {
  id: id.describe('Unique among the items'),
  cluster: id.describe('Items of one text, conversation or template: they are right and wrong together').exactOptional(),
  slices: z.record(id, z.string().max(200)).describe('Parts of the set that are judged on their own, such as language: de').exactOptional(),
}

const message = z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content: text })

const asked = {
  prompt: someText.describe('What the model reads').exactOptional(),
  messages: z
    .array(message)
    .min(1)
    .max(1000)
    .describe('Alternatively a conversation, laid out by the template of the model')
    .exactOptional(),
}

const generated = {
  until: z.array(someText).max(16).default([]).describe('Texts that end the answer; they are not part of it'),
  most_tokens: z.int().positive().max(1_000_000).default(256).describe('Tokens after which the answer ends'),
}

const isAskedOnce = ({ prompt, messages }: { readonly prompt?: unknown; readonly messages?: unknown }): boolean =>
  (prompt === undefined) !== (messages === undefined)
const ASKED_ONCE = { path: ['prompt'], message: 'either a prompt or messages is needed, and not both' }

const extraction = z.strictObject({
  pattern: pattern.describe('Regular expression; its first group that is not empty is the answer, or all of the match where it has none'),
  which: z.int().min(-100).max(99).default(0).describe('Which match, from 0; -1 is the last'),
})

const label = z.union([z.string().min(1).max(200), z.number()])

const shapes = {
  choice: z
    .strictObject({
      ...about,
      prompt: text.describe('What stands before each choice'),
      choices: z.array(someText).min(2).max(MOST_CHOICES),
      answer: z.int().nonnegative().describe('Place of the right choice, from 0'),
      delimiter: text.default('').describe('Between prompt and choice; not counted as part of the choice'),
    })
    .refine(({ choices, answer }) => answer < choices.length, { path: ['answer'], message: 'there is no choice at this place' }),
  continuation: z.strictObject({ ...about, prompt: text, answer: someText.describe('What must follow, with the space before it') }),
  text: z.strictObject({ ...about, text: someText }),
  answer: z
    .strictObject({
      ...about,
      ...asked,
      ...generated,
      answers: z.array(text).min(1).max(1000).describe('Each of them is right'),
      extract: z.array(extraction).max(20).default([]).describe('Where the answer stands: the first pattern that is found counts'),
      fallback: text.default('[invalid]').describe('Taken for the answer where no pattern is found'),
      match: z.enum(['exact', 'contains', 'number']).default('exact'),
      ignore: z
        .strictObject({
          case: z.boolean().default(false),
          punctuation: z.boolean().default(false),
          patterns: z.array(pattern).max(20).default([]),
        })
        .describe('What is removed from both sides before they are compared')
        .exactOptional(),
    })
    .refine(isAskedOnce, ASKED_ONCE),
  program: z
    .strictObject({
      ...about,
      ...asked,
      ...generated,
      before: text.default('').describe('Code that stands before the answer, such as the head of the function that was asked for'),
      tests: someText.describe('Code that runs after the answer and ends without error when it is right'),
    })
    .refine(isAskedOnce, ASKED_ONCE),
  judged: z
    .strictObject({
      ...about,
      ...asked,
      ...generated,
      reference: text.describe('A good answer, for the judge').exactOptional(),
      labelled: z
        .array(z.strictObject({ answer: text, label: z.union([z.literal(0), z.literal(1)]) }))
        .max(100)
        .default([])
        .describe('Answers that a person called right (1) or wrong (0), to calibrate the judge'),
    })
    .refine(isAskedOnce, ASKED_ONCE),
  prediction: z
    .strictObject({
      ...about,
      label: label.describe('The truth: text is a class, a number a quantity'),
      prediction: label.describe('What was predicted, of the same kind').exactOptional(),
      probabilities: z
        .record(z.string().min(1).max(200), z.number().min(0).max(1))
        .refine((all) => Object.keys(all).length > 0, 'has no class')
        .describe('Of each class')
        .exactOptional(),
      quantiles: z
        .record(
          z.string().refine((share) => Number(share) > 0 && Number(share) < 1, 'a quantile is named by its share, such as "0.9"'),
          z.number(),
        )
        .refine((all) => Object.keys(all).length > 0, 'has no quantile')
        .describe('Of a quantity: what it lies below with that chance, such as 0.9: 12.5')
        .exactOptional(),
      tolerance: z.number().nonnegative().default(0).describe('Error up to which a quantity counts as right'),
    })
    .refine((item) => item.prediction !== undefined || item.probabilities !== undefined || item.quantiles !== undefined, {
      path: ['prediction'],
      message: 'a prediction, probabilities or quantiles are needed',
    })
    .refine(({ label: truth, prediction }) => prediction === undefined || typeof prediction === typeof truth, {
      path: ['prediction'],
      message: 'is not of the kind of the label: both are classes (text) or both are quantities (numbers)',
    })
    .refine(({ label: truth, probabilities }) => probabilities === undefined || typeof truth === 'string', {
      path: ['probabilities'],
      message: 'belong to classes, and the label is a number: write a class as text, such as "1"',
    })
    .refine(({ label: truth, quantiles }) => quantiles === undefined || typeof truth === 'number', {
      path: ['quantiles'],
      message: 'belong to quantities, and the label is a class',
    })
    .refine(({ label: truth, probabilities }) => probabilities === undefined || Object.hasOwn(probabilities, truth), {
      path: ['probabilities'],
      message: 'lack the class of the label',
    }),
}

export type TaskKind = keyof typeof shapes
export const TASK_KINDS: readonly TaskKind[] = ['choice', 'continuation', 'text', 'answer', 'program', 'judged', 'prediction']

type ItemOf<Kind extends TaskKind> = Kind extends TaskKind ? { readonly kind: Kind } & Readonly<z.output<(typeof shapes)[Kind]>> : never
export type EvaluationItem<Kind extends TaskKind = TaskKind> = ItemOf<Kind>
export type ItemInput<Kind extends TaskKind> = z.input<(typeof shapes)[Kind]>

const RESULT = z.strictObject({
  id: id.describe('Of the item'),
  score: z.number().min(0).max(1).describe('What the item was worth: 1 and 0 for right and wrong, or any share between'),
  values: z.record(id, z.number()).describe('What the metrics of the task are made from'),
  tokens_in: z.int().nonnegative(),
  tokens_out: z.int().nonnegative(),
  ms: z.number().nonnegative().describe('From the first request to the last answer'),
  output_digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'expected a digest of 64 hexadecimal digits')
    .describe('Of what the model said'),
  cluster: about.cluster,
  slices: about.slices,
})

export type ItemResult = Readonly<z.output<typeof RESULT>>

/** Beside the results, where the evaluation was told to keep them. */
export const ITEM_TEXTS_FILE = 'texts.jsonl'

const ITEM_TEXT = z.strictObject({
  id: id.describe('Of the item'),
  prompt: text.describe('What was asked'),
  right: text.describe('A right answer').exactOptional(),
  said: text.describe('What the model answered, or the choice that it found likeliest').exactOptional(),
})

/** What an item asked and what a model said of it, for people to read. */
export type ItemText = Readonly<z.output<typeof ITEM_TEXT>>

const formatOf = <Schema extends z.ZodType>(schema: Schema, fields: readonly string[]): SpecFormat<Schema> => ({
  schema,
  fields: { '': fields },
})

/** An item as read from JSON; `where` names file and line, such as items.jsonl:17. */
export function parseItem<Kind extends TaskKind>(kind: Kind, value: unknown, where: string): EvaluationItem<Kind> {
  const schema: z.ZodType = shapes[kind]
  const item: unknown = parseSpec(formatOf(schema, Object.keys(shapes[kind].shape)), value, where)
  // The compiler does not follow a kind that is a parameter into the table of shapes.
  return { kind, ...(item as object) } as EvaluationItem<Kind>
}

export const parseItemTexts = (lines: string, file: string): readonly ItemText[] =>
  distinct(
    parseLines(lines, file, (value, where) => parseSpec(formatOf(ITEM_TEXT, Object.keys(ITEM_TEXT.shape)), value, where)),
    file,
  )

/** All items of a file of JSON lines. */
export function parseItems<Kind extends TaskKind>(kind: Kind, lines: string, file: string): readonly EvaluationItem<Kind>[] {
  return distinct(
    parseLines(lines, file, (value, where) => parseItem(kind, value, where)),
    file,
  )
}

export const parseItemResults = (lines: string, file: string): readonly ItemResult[] =>
  distinct(
    parseLines(lines, file, (value, where) => parseSpec(formatOf(RESULT, Object.keys(RESULT.shape)), value, where)),
    file,
  )

type Placed<Value> = { readonly line: number; readonly value: Value }

function parseLines<Value>(lines: string, file: string, parse: (value: unknown, where: string) => Value): readonly Placed<Value>[] {
  return lines.split('\n').flatMap((each, index) => {
    if (each.trim() === '') return []
    const where = `${file}:${index + 1}`
    return [{ line: index + 1, value: parse(jsonOf(each, where), where) }]
  })
}

function jsonOf(line: string, where: string): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    const problem = `is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`
    throw new IronlawError('IL_SPEC', { file: where, path: '(line)', problem }, { cause })
  }
}

/** A second item of the same name would count twice in one table and once in another. */
function distinct<Value extends { readonly id: string }>(placed: readonly Placed<Value>[], file: string): readonly Value[] {
  const seen = new Map<string, number>()
  for (const { line, value } of placed) {
    const first = seen.get(value.id)
    if (first !== undefined)
      throw new IronlawError('IL_SPEC', {
        file: `${file}:${line}`,
        path: 'id',
        problem: `"${value.id}" is the id of line ${first} as well`,
      })
    seen.set(value.id, line)
  }
  return placed.map(({ value }) => value)
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source) instanceof RegExp
  } catch {
    // Whoever asks says so.
    return false
  }
}
