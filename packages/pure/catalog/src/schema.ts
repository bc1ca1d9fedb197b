// Refusing wrong files, with the path of what is wrong. Built from the same shapes as everything else. It is a
// separate entry point (`@ironlaw/catalog/schema`) so that a command that only reads facts never loads zod.

import { allProblems, IronlawError } from '@ironlaw/contracts'
import { parse } from '@ironlaw/units'
import * as z from 'zod'
import type { Catalog } from './catalog.ts'
import type { JsonObject } from './entry.ts'
import { type Kind, KIND_NAMES, KINDS } from './kinds.ts'
import { danglingReferences, entry, lookup } from './lookup.ts'
import { type Overlay, withOverlay } from './overlay.ts'
import { type Fields, fieldShape, type FigureShape, isOptional, type Shape } from './shape.ts'

type Strictness = 'whole' | 'part'

const id = z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'expected a lower-case name such as "h100-sxm"')
const date = z.string().regex(/^\d{4}-\d{2}(?:-\d{2})?$/, 'expected a date such as "2024-05" or "2024-05-31"')
const sources = z.record(z.string(), z.strictObject({ ref: z.string().min(8), date }))
const head = { id, name: z.string().min(1), aliases: z.array(z.string().min(1)), sources }
const readings = { spread: z.number().nonnegative().optional(), samples: z.int().positive().optional() }
const sourcedText = { from: z.string().min(1), note: z.string().min(1).optional() }

/** One file of `facts/`: complete, nothing unknown in it, every `from` naming one of its sources, every source used. */
export function entryProblems(kind: Kind, value: unknown): readonly string[] {
  const parsed = entrySchema(kind, 'whole').safeParse(value)
  return parsed.success ? sourceProblems(value as JsonObject) : parsed.error.issues.map((issue) => `${pathOf(issue)}: ${messageOf(issue)}`)
}

/** A user's file, checked for the catalog it will be laid over: what exists may be changed in part, what is new must be whole. */
export function checkedOverlay(catalog: Catalog, value: unknown, file: string): Overlay {
  const kinds = Object.fromEntries(KIND_NAMES.map((kind) => [kind, z.record(z.string(), z.record(z.string(), z.unknown())).optional()]))
  const overlay: Overlay = { file, changes: checkedValue(z.strictObject(kinds), value, { file, prefix: '', hint: '' }) }
  const result = withOverlay(catalog, overlay)
  for (const { kind, name, change } of touchedEntries(overlay)) {
    const before = lookup(catalog, kind, name)
    const at = { file, prefix: `${kind}.${name}.`, hint: before.ok ? '' : newEntryHint(name, before.nearest) }
    if (before.ok) checkedValue(entrySchema(kind, 'part'), change, at)
    // A change can be right in itself and still leave an entry incomplete or pointing nowhere.
    const after = entry(result, kind, name)
    checkedValue(entrySchema(kind, 'whole').partial({ aliases: true, sources: true }), after.written, at)
    const [dangling] = danglingReferences(result, after)
    if (dangling) throw new IronlawError('IL_FACT', { file, path: at.prefix + dangling.path, problem: dangling.problem })
  }
  return overlay
}

/** A mistyped id would otherwise read as a new entry of which nearly everything is missing. */
const newEntryHint = (name: string, nearest: readonly string[]): string =>
  `; "${name}" is new to the catalog and must be whole${nearest.length === 0 ? '' : `, or did you mean ${nearest.join(', ')}?`}`

function touchedEntries(overlay: Overlay): readonly { kind: Kind; name: string; change: JsonObject }[] {
  return KIND_NAMES.flatMap((kind) => Object.entries(overlay.changes[kind] ?? {}).map(([name, change]) => ({ kind, name, change })))
}

function checkedValue<T>(schema: z.ZodType<T>, value: unknown, at: { file: string; prefix: string; hint: string }): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => ({ path: (at.prefix + pathOf(issue)).replace(/\.$/, ''), problem: messageOf(issue) }))
  const { path, problem } = allProblems(problems, '(file)')
  throw new IronlawError('IL_FACT', { file: at.file, path, problem: `${problem}${at.hint}` })
}

const SCHEMAS = new Map<string, z.ZodObject>()

/** Made once: that of accelerators has a thousand fields, as measured entries go by numbers of ranks. */
function entrySchema(kind: Kind, strictness: Strictness): z.ZodObject {
  const known = SCHEMAS.get(`${kind} ${strictness}`)
  if (known) return known
  const whole = z.strictObject({ ...head, ...fieldSchemas(KINDS[kind], strictness) })
  const made = strictness === 'whole' ? whole : whole.omit({ id: true }).partial()
  SCHEMAS.set(`${kind} ${strictness}`, made)
  return made
}

function fieldSchemas(fields: Fields, strictness: Strictness): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const schema = shapeSchema(fieldShape(field), strictness)
      return [name, isOptional(field) || strictness === 'part' ? schema.optional() : schema]
    }),
  )
}

function shapeSchema(shape: Shape, strictness: Strictness): z.ZodType {
  switch (shape.leaf) {
    case 'figure':
      return z.strictObject({ is: quantityText(shape), ...sourcedText, ...readings })
    case 'statement':
      return z.strictObject({ is: z.string().min(1), ...sourcedText })
    case 'text':
    case 'reference':
      return z.string().min(1)
    case 'year':
      return z.int().min(1990).max(2100)
    case 'choice':
      return z.enum(shape.of)
    case 'group':
      return z.strictObject(fieldSchemas(shape.fields, strictness))
  }
}

function quantityText({ unit, isSigned }: FigureShape): z.ZodType {
  return z.string().superRefine((text, context) => {
    const parsed = parse(text, unit)
    if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.reason })
    else if (parsed.value < 0 && !isSigned) context.addIssue({ code: 'custom', message: `"${text}" is negative` })
  })
}

function sourceProblems(written: JsonObject): readonly string[] {
  const known = new Set(Object.keys(written['sources'] as JsonObject))
  const used = new Map(fromKeys(written, '').map(({ path, from }) => [from, path]))
  const missing = [...used].filter(([from]) => !known.has(from)).map(([from, path]) => `${path}: "${from}" is not one of the sources`)
  const idle = [...known].filter((key) => !used.has(key)).map((key) => `sources.${key}: no figure is from it`)
  return [...missing, ...idle]
}

function fromKeys(value: unknown, path: string): readonly { path: string; from: string }[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  if ('is' in value && 'from' in value) return [{ path, from: String(value.from) }]
  return Object.entries(value).flatMap(([name, part]) => fromKeys(part, path === '' ? name : `${path}.${name}`))
}

const pathOf = (issue: z.core.$ZodIssue): string => issue.path.map(String).join('.')

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `there is no field ${issue.keys.map((key) => `"${key}"`).join(', ')}`
  return issue.message.replace(/^Invalid (?:input|option): /, '')
}
