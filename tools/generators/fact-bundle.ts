// Gathers facts/<kind>/<id>.json into the one JSON module that the catalog imports, so that pure code needs no
// file system.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Kind, KIND_NAMES } from '../../packages/pure/catalog/src/kinds.ts'
import { entryProblems } from '../../packages/pure/catalog/src/schema.ts'
import type { GeneratedFile } from './generated.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const BUNDLE = 'packages/pure/catalog/src/facts.generated.json'

type FactFile = { readonly kind: Kind; readonly id: string; readonly value: unknown }

/** The bundle of all fact files. One entry per line, so that a changed figure is one changed line. */
export function factBundle(): GeneratedFile[] {
  const files = KIND_NAMES.flatMap(factFiles)
  const problems = files.flatMap(problemsOf)
  if (problems.length > 0) throw new Error(`facts/: ${problems.length} problems\n${problems.join('\n')}`)
  const kinds = KIND_NAMES.map((kind) => {
    const lines = files.filter((file) => file.kind === kind).map(({ id, value }) => `    ${JSON.stringify(id)}: ${JSON.stringify(value)}`)
    return `  ${JSON.stringify(kind)}: ${lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n  }`}`
  })
  return [{ path: BUNDLE, content: `{\n${kinds.join(',\n')}\n}\n` }]
}

function factFiles(kind: Kind): readonly FactFile[] {
  const folder = join(ROOT, 'facts', kind)
  // Of quality nothing is published with its interval, so no file ships.
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []
  return names
    .toSorted()
    .map((name) => ({ kind, id: basename(name, '.json'), value: JSON.parse(readFileSync(join(folder, name), 'utf8')) }))
}

function problemsOf({ kind, id, value }: FactFile): readonly string[] {
  const named = (value as { id?: unknown }).id === id ? [] : [`id: expected "${id}" as in the file name`]
  return [...named, ...entryProblems(kind, value)].map((problem) => `${kind}/${id}.json: ${problem}`)
}
