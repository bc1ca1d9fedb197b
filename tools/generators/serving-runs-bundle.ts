// Bundles facts/serving-runs/*.json, published serving results and configurations, into the module that the planner's validation imports.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GeneratedFile } from './generated.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const BUNDLE = 'packages/pure/planner/src/serving-validation/serving-runs.generated.json'

/** One source a line, in the order of the file names. */
export function servingRunsBundle(): GeneratedFile[] {
  const folder = join(ROOT, 'facts/serving-runs')
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
  const lines = files.map((name) => JSON.stringify(JSON.parse(readFileSync(join(folder, name), 'utf8'))))
  return [{ path: BUNDLE, content: `[\n${lines.join(',\n')}\n]\n` }]
}
