// Bundles facts/silicon/*.json, the fitted coefficients of measured accelerators, into the module that the planner imports.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GeneratedFile } from './generated.ts'

const ROOT = join(import.meta.dirname, '..', '..')

export function siliconBundle(): GeneratedFile[] {
  const folder = join(ROOT, 'facts/silicon')
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
  const lines = files.map((name) => JSON.stringify(JSON.parse(readFileSync(join(folder, name), 'utf8'))))
  return [{ path: 'packages/pure/planner/src/machine/silicon.generated.json', content: `[\n${lines.join(',\n')}\n]\n` }]
}
