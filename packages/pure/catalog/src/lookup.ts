// Finding an entry by what people type: its id or an alias, in any case. What is not found comes back as a
// value with the nearest names, because "did you mean" is an answer and not an accident.

import { foldedName, IronlawError, nearestNames } from '@ironlaw/contracts'
import type { Catalog } from './catalog.ts'
import { type Entry, references } from './entry.ts'
import { type Kind, KINDS, SINGULAR } from './kinds.ts'

export type Lookup<K extends Kind> =
  | { readonly ok: true; readonly entry: Entry<K> }
  | { readonly ok: false; readonly kind: K; readonly name: string; readonly nearest: readonly string[] }

export function lookup<K extends Kind>(catalog: Catalog, kind: K, name: string): Lookup<K> {
  const entries: ReadonlyMap<string, Entry<K>> = catalog[kind]
  const wanted = foldedName(name)
  const entry =
    entries.get(name) ?? [...entries.values()].find(({ id, aliases }) => [id, ...aliases].some((known) => foldedName(known) === wanted))
  return entry
    ? { ok: true, entry }
    : {
        ok: false,
        kind,
        name,
        nearest: nearestNames(
          name,
          [...entries.values()].map(({ id, aliases }) => ({ name: id, aliases })),
        ),
      }
}

/** The entry, or IL_UNKNOWN_ENTRY with suggestions. */
export function entry<K extends Kind>(catalog: Catalog, kind: K, name: string): Entry<K> {
  const found = lookup(catalog, kind, name)
  if (found.ok) return found.entry
  const suggestion = found.nearest.length === 0 ? `run "ironlaw catalog" for the list` : `did you mean ${found.nearest.join(', ')}?`
  throw new IronlawError('IL_UNKNOWN_ENTRY', { kind: SINGULAR[kind], id: name, suggestion })
}

/** Where an entry names another one that the catalog does not have. */
export function danglingReferences(catalog: Catalog, of: Entry): readonly { path: string; problem: string }[] {
  return references(KINDS[of.kind], of.written).flatMap(({ path, to, id }) => {
    const found = lookup(catalog, to, id)
    return found.ok ? [] : [{ path, problem: `there is no ${SINGULAR[to]} "${id}"` }]
  })
}
