// What the specs that people write have in common: quantities as text with their unit, and problems named by the path to the field,
// all of them at once.

import { type BaseUnit, examplesOf, nounOf, parse } from '@ironlaw/units'
import * as z from 'zod'
import { IronlawError } from './error.ts'
import { nearestNames } from './nearest.ts'
import { allProblems, type ProblemAt } from './problem-list.ts'
import { readValue } from './read-value.ts'

const WHOLE = 'expected a whole number such as 8'

export const count = (description: string) =>
  z
    .int({ error: ({ input }) => (input === undefined ? undefined : `${WHOLE}, not ${JSON.stringify(input)}`) })
    .positive({ error: `${WHOLE}; at least 1` })
    .describe(description)

export const name = (description: string) => z.string().min(1, 'must not be empty').describe(description)

export function quantityText(base: BaseUnit, description: string, example: string) {
  return z
    .string({ error: ({ input }) => (typeof input === 'number' ? `${input} has no unit; write for example "${example}"` : undefined) })
    .superRefine((text, context) => {
      const parsed = parse(text, base)
      if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.reason })
      else if (parsed.value <= 0) context.addIssue({ code: 'custom', message: `"${text}" must be more than zero` })
    })
    .meta({ description: `${description}; ${nounOf(base)} with its unit, such as ${examplesOf(base)}`, examples: [example] })
}

export type SpecFormat<Schema extends z.ZodType> = {
  readonly schema: Schema
  /** Known fields by the path of the object that holds them, `*` for the place in a list, for suggestions. */
  readonly fields: Readonly<Record<string, readonly string[]>>
  /** What to say when no branch of a union was meant, by the path of the field. */
  readonly unions?: Readonly<Record<string, string>>
}

/** Characters of a value that is quoted. */
const MOST_SHOWN = 40

/** A spec as read from YAML or JSON, checked. */
export function parseSpec<Schema extends z.ZodType>(format: SpecFormat<Schema>, value: unknown, file: string): z.infer<Schema> {
  const parsed = readValue(format.schema, value)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.flatMap((issue) => problemsOf(format, issue))
  throw new IronlawError('IL_SPEC', { file, ...allProblems(essentialProblems(problems, value), '(file)') })
}

/**
 * Problems that only follow from another say nothing new: a field that is missing because its name is misspelt, and everything about a document
 * that is of another kind.
 */
function essentialProblems(problems: readonly FieldProblem[], value: unknown): readonly ProblemAt[] {
  const wrong = problems.find(({ path }) => path === 'kind')
  const kind = isRecord(value) ? value['kind'] : undefined
  if (wrong && typeof kind === 'string') return [{ path: 'kind', problem: `${wrong.problem}, found "${kind.slice(0, MOST_SHOWN)}"` }]
  const misspelt = new Set(problems.flatMap(({ meant }) => meant ?? []))
  const unknown = problems.filter(({ meant }) => meant !== undefined)
  return [...unknown, ...problems.filter((each) => each.meant === undefined && !misspelt.has(each.path))]
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null

type FieldProblem = ProblemAt & {
  /** Of an unknown field: the path of the one that it is taken for, or nothing. */
  readonly meant?: string | null
}
type Hints = Pick<SpecFormat<z.ZodType>, 'fields' | 'unions'>

function problemsOf({ fields, unions = {} }: Hints, issue: z.core.$ZodIssue): readonly FieldProblem[] {
  const path = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => unknownField(key, issue.path.map(String), fields[path.replaceAll(/(?<=\.)\d+/g, '*')] ?? []))
  if (issue.code === 'invalid_union') return [{ path, problem: unionProblem(issue, unions[path] ?? plainMessage(issue)) }]
  return [{ path, problem: plainMessage(issue) }]
}

/** Of a union the person meant one branch: the one whose type fits, as text fits a quantity. */
function unionProblem(issue: Extract<z.core.$ZodIssue, { code: 'invalid_union' }>, otherwise: string): string {
  const meant = issue.errors.find(([problem]) => problem && problem.code !== 'invalid_type')?.[0]
  return meant ? plainMessage(meant) : otherwise
}

function plainMessage(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) return `missing; expected ${issue.expected}`
  return issue.message.replace(/^Invalid (?:input|option): /, '').replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())
}

function unknownField(key: string, within: readonly string[], known: readonly string[]): FieldProblem {
  const near = nearestNames(
    key,
    known.map((each) => ({ name: each })),
  )
  const [meant] = near
  const hint = meant !== undefined ? `; did you mean ${near.join(' or ')}?` : known.length === 0 ? '' : `; known are ${known.join(', ')}`
  return {
    path: [...within, key].join('.'),
    problem: `unknown field${hint}`,
    meant: meant === undefined ? null : [...within, meant].join('.'),
  }
}
