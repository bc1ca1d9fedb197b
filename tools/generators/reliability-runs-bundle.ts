// Bundles facts/reliability-runs/*.json, what published campaigns said about failures and goodput, into the module that the simulator's
// validation imports.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Generated } from './generated.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const BUNDLE = 'packages/pure/simulator/src/validation/reliability-runs.generated.json'

type Written = { readonly rows: readonly unknown[] }

/** One figure a line, in the order of the file names: a change of one fact is a change of one line. */
export function reliabilityRunsBundle(): Generated[] {
  const folder = join(ROOT, 'facts/reliability-runs')
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
  const sources = files.map((name) => {
    const { rows, ...source } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Written
    const head = JSON.stringify({ ...source, rows: [] })
    return `${head.slice(0, -2)}\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]}`
  })
  return [{ path: BUNDLE, content: `[\n${sources.join(',\n')}\n]\n` }]
}
