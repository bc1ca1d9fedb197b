// The facts that ship with the product, gathered from facts/ by tools/generators/fact-bundle.ts.

import { BUILT_IN, type Entry, entryOf, type JsonObject } from './entry.ts'
import generated from './facts.generated.json' with { type: 'json' }
import { type Kind, KIND_NAMES } from './kinds.ts'

export type Catalog = { readonly [K in Kind]: ReadonlyMap<string, Entry<K>> }

export const builtInCatalog: Catalog = catalogOf((kind) => {
  const written: { readonly [id: string]: JsonObject } = generated[kind]
  return Object.entries(written).map(([id, entry]) => entryOf(kind, { id, written: entry, origin: BUILT_IN, changes: new Map() }))
})

export function entriesOf(catalog: Catalog): readonly Entry[] {
  return KIND_NAMES.flatMap((kind): readonly Entry[] => [...catalog[kind].values()])
}

export function catalogOf(entriesOfKind: (kind: Kind) => readonly Entry[]): Catalog {
  const kinds = KIND_NAMES.map((kind) => [kind, new Map(entriesOfKind(kind).map((entry) => [entry.id, entry]))])
  // Each kind is filled with entries made for that kind, which `fromEntries` cannot say.
  return Object.fromEntries(kinds) as Catalog
}
