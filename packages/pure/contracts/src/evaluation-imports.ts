// Items from the samples that lm-evaluation-harness writes with --log_samples (samples_TASK_DATE.jsonl). A separate entry point, as everything
// that loads zod.

import * as z from 'zod'
import { IronlawError } from './error.ts'
import { type EvaluationItem, type ItemInput, parseItem, type TaskKind } from './evaluation-items.ts'
import { parseSpec } from './spec-format.ts'

const numberText = z.union([z.number(), z.string(), z.boolean(), z.null()])

const SAMPLE = z.looseObject({
  doc_id: z.union([z.int(), z.string()]),
  target: z.union([z.string(), z.number()]).default(''),
  arguments: z.record(z.string(), z.record(z.string(), z.unknown())),
  filtered_resps: z.array(z.union([z.array(numberText), numberText])).default([]),
  metrics: z.array(z.string()).default([]),
})

type Sample = z.output<typeof SAMPLE>

export type ImportedItems = {
  readonly [Kind in TaskKind]: { readonly kind: Kind; readonly items: readonly EvaluationItem<Kind>[] }
}[TaskKind]

/** What the log does not hold of a task whose answers are generated. */
export type AnswerReading = Pick<ItemInput<'answer'>, 'extract' | 'fallback' | 'match' | 'ignore'>

type Row = { readonly sample: Sample; readonly where: string }

/** Items of one task, from the rows of its samples. A task with several filters has several rows for each item. */
export function itemsOfLmEvalSamples(rows: readonly unknown[], file: string, reading: AnswerReading = {}): ImportedItems {
  const samples = rows.map((row, index): Row => {
    const where = `${file}:${index + 1}`
    return { sample: parseSpec({ schema: SAMPLE, fields: {} }, row, where), where }
  })
  const distinct = [...new Map(samples.toReversed().map((row) => [row.sample.doc_id, row])).values()].toReversed()
  const kinds = new Set(distinct.map(kindOf))
  const [kind] = kinds
  if (kind === undefined || kinds.size > 1) throw importError(file, 'arguments', 'rows of one kind of task are expected')
  const itemsAs = <Kind extends TaskKind>(as: Kind, read: (row: Row) => Omit<ItemInput<Kind>, 'id'>) =>
    distinct.map((row) => parseItem(as, { id: String(row.sample.doc_id), ...read(row) }, row.where))
  switch (kind) {
    case 'choice':
      return { kind, items: itemsAs(kind, choiceOf) }
    case 'continuation':
      return { kind, items: itemsAs(kind, ({ sample }) => ({ prompt: argument(sample, 0), answer: argument(sample, 1) })) }
    case 'text':
      return { kind, items: itemsAs(kind, ({ sample }) => ({ text: argument(sample, 0) })) }
    case 'answer':
      return { kind, items: itemsAs(kind, (row) => ({ ...answerOf(row), ...reading })) }
  }
}

function kindOf({ sample, where }: Row): 'choice' | 'continuation' | 'text' | 'answer' {
  const all = Object.values(sample.arguments)
  const [first] = all
  if (!first) throw importError(where, 'arguments', 'the row says nothing of what was asked')
  if (all.length > 1) return 'choice'
  if (first['arg_1'] === undefined) return 'text'
  return typeof first['arg_1'] === 'string' ? 'continuation' : 'answer'
}

function argument(sample: Sample, place: number): string {
  const value = sample.arguments['gen_args_0']?.[`arg_${place}`]
  return typeof value === 'string' ? value : ''
}

function choiceOf({ sample, where }: Row): Omit<ItemInput<'choice'>, 'id'> {
  const asked = Object.values(sample.arguments)
  const prompt = argument(sample, 0)
  // Those without a prompt were asked for a metric of mutual information.
  const own = asked.filter(({ arg_0: context }) => context === prompt)
  if (own.length < 2 || asked.some(({ arg_0: context }) => context !== prompt && context !== ''))
    throw importError(where, 'arguments', 'choices that stand in different prompts are not supported')
  const texts = own.map(({ arg_1: text }) => String(text))
  const delimiter = texts.every((text) => text.startsWith(' ') && text.length > 1) ? ' ' : ''
  const choices = texts.map((text) => text.slice(delimiter.length))
  return { prompt, choices, delimiter, answer: rightChoice({ sample, where }, choices) }
}

/** The log holds place or text of the right choice as text. Where both could be meant, the score says which it was. */
function rightChoice({ sample, where }: Row, choices: readonly string[]): number {
  const target = String(sample.target)
  const places = new Set(
    [/^\d+$/.test(target) ? Number(target) : -1, choices.indexOf(target)].filter((at) => at >= 0 && at < choices.length),
  )
  const likelihoods = sample.filtered_resps.slice(0, choices.length).map((answer) => Number(Array.isArray(answer) ? answer[0] : answer))
  const said = likelihoods.indexOf(Math.max(...likelihoods))
  const isRight = typeof sample['acc'] === 'number' ? sample['acc'] === 1 : undefined
  const answer = [...places].find((place) => places.size === 1 || isRight === undefined || (place === said) === isRight)
  if (answer !== undefined) return answer
  throw importError(where, 'target', `"${target.slice(0, 40)}" is neither the place nor the text of one choice`)
}

const GENERATION = z.looseObject({
  until: z.union([z.string().transform((one) => [one]), z.array(z.string())]).default([]),
  max_gen_toks: z.int().positive().optional(),
  max_tokens: z.int().positive().optional(),
})
/** Of lm-evaluation-harness. */
const MOST_TOKENS = 256

function answerOf({ sample, where }: Row): Omit<ItemInput<'answer'>, 'id'> {
  const { arg_0: input, arg_1: settings } = sample.arguments['gen_args_0'] ?? {}
  const { until, max_gen_toks, max_tokens = max_gen_toks } = parseSpec({ schema: GENERATION, fields: {} }, settings, `${where}: arguments`)
  return {
    ...(Array.isArray(input) ? { messages: messagesOf(input, where) } : { prompt: String(input) }),
    until: until.filter((text) => text !== ''),
    most_tokens: max_tokens ?? MOST_TOKENS,
    answers: [...(pythonTexts(String(sample.target)) ?? [String(sample.target)])],
  }
}

const MESSAGES = z.array(z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string() }))

/** A chat is logged as a list of one text that holds JSON. */
function messagesOf(input: readonly unknown[], where: string): z.output<typeof MESSAGES> {
  try {
    return MESSAGES.parse(JSON.parse(String(input[0])))
  } catch (cause) {
    throw importError(where, 'arguments', `the chat cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}

/** A list of texts as Python prints it, the form in which several right answers are logged; undefined for anything else. */
function pythonTexts(text: string): readonly string[] | undefined {
  const one = `'(?:[^'\\\\]|\\\\.)*'|"(?:[^"\\\\]|\\\\.)*"`
  if (!new RegExp(`^\\[(?:${one})(?:, (?:${one}))*\\]$`, 's').test(text)) return undefined
  return [...text.matchAll(new RegExp(one, 'gs'))].map(([quoted]) =>
    quoted.slice(1, -1).replaceAll(/\\(.)/gs, (_, escaped: string) => ({ n: '\n', t: '\t', r: '\r' })[escaped] ?? escaped),
  )
}

const importError = (file: string, path: string, problem: string): IronlawError => new IronlawError('IL_SPEC', { file, path, problem })
