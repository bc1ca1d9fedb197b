// Bundles facts/models/*.json into the one module that the models package imports, so that pure code does no I/O.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GeneratedFile } from './generated.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const BUNDLE = 'packages/pure/models/src/models.generated.json'

/** One model a line, in the order of the file names: a change of one fact is a change of one line. */
export function modelBundle(): GeneratedFile[] {
  const folder = join(ROOT, 'facts/models')
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
  const lines = files.map((name) => JSON.stringify(JSON.parse(readFileSync(join(folder, name), 'utf8'))))
  return [{ path: BUNDLE, content: `[\n${lines.join(',\n')}\n]\n` }]
}
