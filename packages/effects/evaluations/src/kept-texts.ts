// What was asked and said, beside the results of an evaluation that keeps it: a line as each item is answered, in the order of the items at the end.

import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ItemText } from '@ironlaw/contracts/evaluation-items'

export type KeptTexts = { readonly add: (text: ItemText) => void; readonly close: () => void }

export function openTexts(path: string): KeptTexts {
  mkdirSync(dirname(path), { recursive: true })
  const file = openSync(path, 'a')
  return { add: (text) => void writeSync(file, `${JSON.stringify(text)}\n`), close: () => closeSync(file) }
}

/** An item that was answered and not scored before a kill is there twice: the later line counts. Half a line is of an item that was asked again. */
export function orderedTexts(path: string, ids: readonly string[]): string {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
  const byId = new Map(lines.flatMap((line) => idOf(line).map((id) => [id, line] as const)))
  return ids
    .flatMap((id) => byId.get(id) ?? [])
    .map((line) => `${line}\n`)
    .join('')
}

function idOf(line: string): readonly string[] {
  try {
    const { id }: Partial<ItemText> = JSON.parse(line)
    return id === undefined ? [] : [id]
  } catch {
    // Cut off when the process was killed; the item follows once more.
    return []
  }
}
