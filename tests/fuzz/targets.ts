// The targets there are, and the inputs kept for each.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const HERE = fileURLToPath(new URL('.', import.meta.url))

export const targetNames = (): readonly string[] =>
  readdirSync(join(HERE, 'targets'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.slice(0, -'.ts'.length))
    .toSorted()

export const entryOf = (target: string): string => join(HERE, 'targets', `${target}.ts`)

export const corpusFolder = (target: string): string => join(HERE, 'corpus', target)

export type KeptInput = { readonly name: string; readonly input: Uint8Array }

/** Files in the order of their names, so that a seed does the same everywhere. */
export function keptInputs(target: string): readonly KeptInput[] {
  const folder = corpusFolder(target)
  return namesIn(folder).map((name) => ({ name, input: readFileSync(join(folder, name)) }))
}

function namesIn(folder: string): readonly string[] {
  const found = readdirSync(join(HERE, 'corpus'), { withFileTypes: true }).some(
    (entry) => entry.isDirectory() && folder.endsWith(`/${entry.name}`),
  )
  return found ? readdirSync(folder).toSorted() : []
}
