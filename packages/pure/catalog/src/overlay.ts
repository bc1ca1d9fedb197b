// A user's file laid over the catalog. It changes single figures, keeps the rest, may add entries, and leaves
// its name on everything it touched.

import { type Catalog, catalogOf } from './catalog.ts'
import { type Entry, entryOf, isFigure, isObject, type Json, type JsonObject, type Origin } from './entry.ts'
import type { Kind } from './kinds.ts'
import { lookup } from './lookup.ts'

/** Checked content of a user's file: changes by kind and by entry id or alias. `checkedOverlay` makes one. */
export type Overlay = { readonly file: string; readonly changes: { readonly [K in Kind]?: { readonly [name: string]: JsonObject } } }

export function withOverlay(catalog: Catalog, overlay: Overlay): Catalog {
  const origin: Origin = { by: 'overlay', file: overlay.file }
  return catalogOf((kind) => {
    const entries = new Map<string, Entry>(catalog[kind])
    for (const [name, change] of Object.entries(overlay.changes[kind] ?? {})) {
      const found = lookup(catalog, kind, name)
      const entry = found.ok
        ? changedEntry(found.entry, change, overlay.file)
        : entryOf(kind, { id: name, written: { ...change, id: name }, origin, changes: new Map() })
      entries.set(entry.id, entry)
    }
    return [...entries.values()]
  })
}

function changedEntry(entry: Entry, change: JsonObject, file: string): Entry {
  const changes = new Map(entry.changes)
  const { sources, ...values } = attributedChange(change, { file, below: keysOf(entry.written['sources']), own: keysOf(change['sources']) })
  const written = mergedFields(entry.written, values, (path) => changes.set(path, { by: 'overlay', file }))
  const known = isObject(written['sources']) ? written['sources'] : {}
  return entryOf(entry.kind, {
    id: entry.id,
    written: { ...written, sources: { ...known, ...(isObject(sources) ? sources : {}) } },
    origin: entry.origin,
    changes,
  })
}

type Attribution = { readonly file: string; readonly below: ReadonlySet<string>; readonly own: ReadonlySet<string> }

/** Both files may call a source "datasheet". The overlay's keys get its name, so that neither speaks for the other. */
function attributedChange(change: JsonObject, keys: Attribution): JsonObject {
  const sources = isObject(change['sources']) ? change['sources'] : {}
  const renamed = Object.entries(sources).map(([key, source]) => [namedSource(key, keys), source])
  return { ...withNamedSources(change, keys), sources: Object.fromEntries(renamed) as JsonObject }
}

function withNamedSources(value: JsonObject, keys: Attribution): JsonObject {
  if (isFigure(value))
    return { ...value, from: keys.own.has(value.from) || keys.below.has(value.from) ? namedSource(value.from, keys) : value.from }
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, isObject(part) ? withNamedSources(part, keys) : part]))
}

const namedSource = (key: string, { file }: Attribution): string => `${file}: ${key}`
const keysOf = (sources: Json | undefined): ReadonlySet<string> => new Set(isObject(sources) ? Object.keys(sources) : [])

function mergedFields(below: JsonObject, above: JsonObject, touch: (path: string) => void): JsonObject {
  const fields = Object.entries(above).map(([name, value]): [string, Json] => {
    const before = below[name]
    const nested = isObject(value) && !isFigure(value)
    if (!nested) touch(name)
    return [name, nested ? mergedFields(isObject(before) ? before : {}, value, (path) => touch(`${name}.${path}`)) : value]
  })
  return { ...below, ...Object.fromEntries(fields) }
}
