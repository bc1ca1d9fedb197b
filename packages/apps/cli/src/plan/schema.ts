// `ironlaw schema`: every field that a spec may have, for people as a table and for editors as a JSON Schema.

import { IronlawError, nearestNames } from '@ironlaw/contracts'
import { accessSpecSchema } from '@ironlaw/contracts/access-spec'
import { dataSpecSchema } from '@ironlaw/contracts/data-spec'
import { evaluateSpecSchema } from '@ironlaw/contracts/evaluate-spec'
import { releaseSpecSchema } from '@ironlaw/contracts/release-spec'
import { jobSpecSchema } from '@ironlaw/contracts/job-spec'
import { rlSpecSchema } from '@ironlaw/contracts/rl-spec'
import { serveSpecSchema } from '@ironlaw/contracts/serve-spec'
import { teamsSpecSchema } from '@ironlaw/contracts/teams-spec'
import { sweepSpecSchema } from '@ironlaw/contracts/sweep-spec'
import { trainSpecSchema } from '@ironlaw/contracts/train-spec'
import * as z from 'zod'
import type { CommandAnswer } from '../answer.ts'
import { table } from '../table.ts'

const SCHEMAS = {
  train: trainSpecSchema,
  rl: rlSpecSchema,
  data: dataSpecSchema,
  evaluate: evaluateSpecSchema,
  release: releaseSpecSchema,
  job: jobSpecSchema,
  sweep: sweepSpecSchema,
  serve: serveSpecSchema,
  access: accessSpecSchema,
  teams: teamsSpecSchema,
} as const

export function schemaAnswer(kind: string | undefined): CommandAnswer {
  const names = Object.keys(SCHEMAS)
  if (kind === undefined)
    return {
      json: Object.fromEntries(Object.entries(SCHEMAS).map(([name, schema]) => [name, schema()])),
      text: () =>
        Object.entries(SCHEMAS)
          .map(([name, schema]) => `ironlaw schema ${name.padEnd(8)} ${String(schema().description)}`)
          .join('\n'),
    }
  const found = Object.entries(SCHEMAS).find(([name]) => name === kind.toLowerCase())?.[1]
  if (!found) {
    const [near] = nearestNames(
      kind,
      names.map((name) => ({ name })),
    )
    throw new IronlawError(
      'IL_USAGE',
      { problem: `unknown kind of spec "${kind}"; known kinds: ${names.join(', ')}`, command: 'schema' },
      near === undefined ? {} : { next: `did you mean "ironlaw schema ${near}"?` },
    )
  }
  const schema = found()
  return { json: schema, text: () => table(['FIELD', 'VALUE', 'MEANING'], rowsOf(FIELD.parse(schema), '')) }
}

/** As much of JSON Schema as our own schemas use. */
const FIELD = z.object({
  type: z.string().optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
  description: z.string().optional(),
  examples: z.array(z.unknown()).optional(),
  required: z.array(z.string()).default([]),
  get properties() {
    return z.record(z.string(), FIELD).optional()
  },
  get items() {
    return FIELD.optional()
  },
  get anyOf() {
    return z.array(FIELD).optional()
  },
})

type Field = z.infer<typeof FIELD>

const rowsOf = ({ properties = {}, required }: Field, prefix: string): readonly (readonly string[])[] =>
  Object.entries(properties).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const own = [`${path}${required.includes(name) ? '' : '?'}`, valueText(field), field.description ?? '']
    return [own, ...rowsOf(field, `${path}.`), ...(field.items ? rowsOf(field.items, `${path}[].`) : [])]
  })

function valueText(field: Field): string {
  const { type, enum: options, anyOf, examples: shown, items } = field
  const [example] = shown ?? []
  if ('const' in field && field.const !== undefined) return text(field.const)
  if (options) return options.map(text).join(' | ')
  if (anyOf) return anyOf.map(valueText).join(' or ')
  if (example !== undefined) return `for example ${text(example)}`
  return type === 'array' ? `list of ${items ? valueText(items) : 'values'}` : (type ?? 'any')
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
