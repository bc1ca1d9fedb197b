// Bundles a folder of published rows into the module that a validation imports: one row a line, in the order of the file names, so that
// a change of one fact is a change of one line.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GeneratedFile } from './generated.ts'

const ROOT = join(import.meta.dirname, '..', '..')

type RowsFile = { readonly rows: readonly unknown[] }

function rowsBundle(folder: string, path: string): GeneratedFile {
  const files = readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.json'))
    .toSorted()
  const sources = files.map((name) => {
    const { rows, ...source } = JSON.parse(readFileSync(join(ROOT, folder, name), 'utf8')) as RowsFile
    const head = JSON.stringify({ ...source, rows: [] })
    return `${head.slice(0, -2)}\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]}`
  })
  return { path, content: `[\n${sources.join(',\n')}\n]\n` }
}

export const rowsBundles = (): GeneratedFile[] => [
  rowsBundle('facts/training-runs', 'packages/pure/planner/src/training-validation/training-runs.generated.json'),
  rowsBundle('facts/reliability-runs', 'packages/pure/simulator/src/validation/reliability-runs.generated.json'),
]
