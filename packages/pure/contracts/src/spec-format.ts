// What the specs that people write have in common: quantities as text with their unit, and problems named by the path to the field.
// The first problem is named, the others counted.

import { type BaseUnit, parse } from '@ironlaw/units'
import * as z from 'zod'
import { IronlawError } from './error.ts'
import { nearest } from './nearest.ts'
import { readValue } from './read-value.ts'

export const count = (description: string) => z.int().positive().describe(description)

export const name = (description: string) => z.string().min(1, 'must not be empty').describe(description)

export function quantityText(base: BaseUnit, description: string, example: string) {
  return z
    .string()
    .superRefine((text, context) => {
      const parsed = parse(text, base)
      if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.reason })
      else if (parsed.value <= 0) context.addIssue({ code: 'custom', message: `"${text}" must be more than zero` })
    })
    .meta({ description: `${description}, with its unit`, examples: [example] })
}

export type SpecFormat<Schema extends z.ZodType> = {
  readonly schema: Schema
  /** Known fields by the path of the object that holds them, for suggestions. */
  readonly fields: Readonly<Record<string, readonly string[]>>
  /** What to say when no branch of a union was meant, by the path of the field. */
  readonly unions?: Readonly<Record<string, string>>
}

/** A spec as read from YAML or JSON, checked. */
export function parseSpec<Schema extends z.ZodType>(format: SpecFormat<Schema>, value: unknown, file: string): z.infer<Schema> {
  const parsed = readValue(format.schema, value)
  if (parsed.success) return parsed.data
  const [first, ...others] = parsed.error.issues.flatMap((issue) => problemsOf(format, issue))
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  throw new IronlawError('IL_SPEC', { file, path: first?.path || '(file)', problem: `${first?.problem ?? ''}${more}` })
}

type Problem = { readonly path: string; readonly problem: string }
type Hints = Pick<SpecFormat<z.ZodType>, 'fields' | 'unions'>

function problemsOf({ fields, unions = {} }: Hints, issue: z.core.$ZodIssue): readonly Problem[] {
  const path = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: [...issue.path.map(String), key].join('.'),
      problem: `unknown field${suggestion(key, fields[path] ?? [])}`,
    }))
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

function suggestion(key: string, known: readonly string[]): string {
  const near = nearest(
    key,
    known.map((each) => ({ name: each })),
  )
  if (known.length === 0) return ''
  return near.length === 0 ? `; known are ${known.join(', ')}` : `; did you mean ${near.join(' or ')}?`
}
