// One thing the catalog knows: the text of its file, who wrote each part of it, and, on first use, its figures
// as `Known` values. Reading is lazy because a command touches a handful of the entries.

import { IronlawError } from '@ironlaw/contracts'
import { type Known, parse, type Provenance, showPercent, sourcedValue } from '@ironlaw/units'
import { type Facts, type Kind, KINDS } from './kinds.ts'
import { type Fields, type Figure, fieldShape, type Shape } from './shape.ts'

export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export type JsonObject = { readonly [name: string]: Json }

/** Who stands behind a value: the facts that ship with the product, or a file of the user's. */
export type Origin = { readonly by: 'built-in' } | { readonly by: 'overlay'; readonly file: string }
export const BUILT_IN: Origin = { by: 'built-in' }

export type Entry<K extends Kind = Kind> = {
  readonly kind: K
  readonly id: string
  readonly name: string
  readonly aliases: readonly string[]
  readonly written: JsonObject
  /** Who added the entry. */
  readonly origin: Origin
  /** Who changed which part of it afterwards, by path. */
  readonly changes: ReadonlyMap<string, Origin>
  readonly facts: Facts<K>
}

export type FigureRow = {
  readonly path: string
  readonly known: Known
  readonly origin: Origin
  readonly note: string | undefined
}

type EntryContent = Pick<Entry, 'id' | 'written' | 'origin' | 'changes'>

export function entryOf<K extends Kind>(kind: K, from: EntryContent): Entry<K> {
  let facts: Facts<K> | undefined
  return {
    ...from,
    kind,
    name: textOr(from.written['name'], from.id),
    aliases: isList(from.written['aliases']) ? from.written['aliases'].map(String) : [],
    get facts() {
      // The shape decides the type; the reader follows the same shape, which the compiler cannot see.
      facts ??= readFacts({ ...from, kind }) as Facts<K>
      return facts
    },
  }
}

/** Every figure of an entry, flattened: what a table or a comparison prints. */
export function figures(entry: Entry): readonly FigureRow[] {
  return figuresUnder(KINDS[entry.kind], entry.written, '').map(({ path, figure, unit }) => ({
    path,
    known: sourcedValue(valueOf(entry, { path, figure, unit }), unit, sourceOf(entry, figure.from)),
    origin: originOf(entry, path),
    note: figure.note ?? readingsOf(figure),
  }))
}

const readingsOf = ({ spread, samples }: Figure): string | undefined =>
  spread === undefined || samples === undefined ? undefined : `spread ${showPercent(spread)} over ${samples} readings`

function originOf(entry: Pick<Entry, 'origin' | 'changes'>, path: string): Origin {
  return entry.changes.get(path) ?? entry.origin
}

type WrittenFigure = { readonly path: string; readonly figure: Figure; readonly unit: Known['unit'] }

export function figuresUnder(fields: Fields, written: JsonObject, prefix: string): readonly WrittenFigure[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const shape = fieldShape(field)
    const value = written[name]
    const path = prefix + name
    if (value === undefined) return []
    if (shape.leaf === 'figure') return isFigure(value) ? [{ path, figure: value, unit: shape.unit }] : []
    return shape.leaf === 'group' && isObject(value) ? figuresUnder(shape.fields, value, `${path}.`) : []
  })
}

/** Ids of other entries that an entry mentions. */
export function references(fields: Fields, written: JsonObject, prefix = ''): readonly { path: string; to: Kind; id: string }[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const shape = fieldShape(field)
    const value = written[name]
    if (shape.leaf === 'reference' && typeof value === 'string') return [{ path: prefix + name, to: shape.to as Kind, id: value }]
    return shape.leaf === 'group' && isObject(value) ? references(shape.fields, value, `${prefix}${name}.`) : []
  })
}

type KindContent = EntryContent & { readonly kind: Kind }

function readFacts(entry: KindContent): unknown {
  return readFields(entry, KINDS[entry.kind], { written: entry.written, prefix: '' })
}

function readFields(entry: KindContent, fields: Fields, at: { written: JsonObject; prefix: string }): unknown {
  const present = Object.entries(fields).filter(([name]) => at.written[name] !== undefined)
  return Object.fromEntries(
    present.map(([name, field]) => [
      name,
      readValue(entry, fieldShape(field), { value: at.written[name] ?? null, path: at.prefix + name }),
    ]),
  )
}

function readValue(entry: KindContent, shape: Shape, { value, path }: { value: Json; path: string }): unknown {
  if (shape.leaf === 'group') return readFields(entry, shape.fields, { written: isObject(value) ? value : {}, prefix: `${path}.` })
  if (shape.leaf !== 'figure' && shape.leaf !== 'statement') return value
  if (!isFigure(value)) throw factError(entry, path, 'expected a value written as { is, from }')
  if (shape.leaf === 'statement') return { text: value.is, by: { kind: 'source', ...sourceOf(entry, value.from) } satisfies Provenance }
  return sourcedValue(valueOf(entry, { path, figure: value, unit: shape.unit }), shape.unit, sourceOf(entry, value.from))
}

function valueOf(entry: EntryContent, { path, figure, unit }: WrittenFigure): number {
  const parsed = parse(figure.is, unit)
  if (!parsed.ok) throw factError(entry, path, parsed.reason)
  return parsed.value
}

/** A `from` that names no source of the file is the source itself, as people write it in a file of their own. */
export function sourceOf(entry: Pick<Entry, 'written'>, from: string): { ref: string; asOf: string } {
  const sources = entry.written['sources']
  const source = isObject(sources) ? sources[from] : undefined
  if (isObject(source)) return { ref: textOr(source['ref'], ''), asOf: textOr(source['date'], 'undated') }
  return { ref: from, asOf: /\b\d{4}-\d{2}(?:-\d{2})?\b/.exec(from)?.[0] ?? 'undated' }
}

function factError(entry: EntryContent, path: string, problem: string): IronlawError {
  const origin = originOf(entry, path)
  return new IronlawError('IL_FACT', { file: origin.by === 'overlay' ? origin.file : entry.id, path, problem })
}

const textOr = (value: Json | undefined, otherwise: string): string => (typeof value === 'string' ? value : otherwise)
export const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !isList(value)
export const isFigure = (value: Json): value is Figure & JsonObject =>
  isObject(value) && typeof value['is'] === 'string' && typeof value['from'] === 'string'
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)
