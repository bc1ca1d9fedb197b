// The texts of evaluation items, which no training data should hold.

import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { IronlawError } from '@ironlaw/contracts'

export type ItemText = {
  readonly file: string
  /** From one. */
  readonly line: number
  /** As the item says, or where it stands. */
  readonly id: string
  readonly text: string
}

/** @param fields those of an item that are read; all when left out */
export async function itemTexts(pattern: string, fields: readonly string[] | undefined): Promise<readonly ItemText[]> {
  const files = (await Array.fromAsync(glob(pattern))).toSorted()
  if (files.length === 0)
    throw new IronlawError(
      'IL_FILE',
      { path: pattern, reason: 'no such file' },
      { next: 'name the JSON lines of the evaluation under "items"' },
    )
  return files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => (line.trim() === '' ? [] : textsOfLine(line, { file, line: index + 1, fields }))),
  )
}

type ItemLine = { readonly file: string; readonly line: number; readonly fields: readonly string[] | undefined }

function textsOfLine(content: string, { file, line, fields }: ItemLine): readonly ItemText[] {
  const item = parseItem(content, file, line)
  const id = typeof item['id'] === 'string' || typeof item['id'] === 'number' ? String(item['id']) : `${file}:${line}`
  const texts = Object.entries(item).flatMap(([name, value]) => ((fields?.includes(name) ?? true) ? textsIn(value) : []))
  // An item without any text is an item all the same.
  return (texts.length === 0 ? [''] : texts).map((text) => ({ file, line, id, text }))
}

function parseItem(content: string, file: string, line: number): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(content))
  } catch (cause) {
    throw new IronlawError('IL_DOCUMENT', { path: file, reason: `line ${line} is not JSON` }, { cause })
  }
}

/** A conversation holds its texts in messages. What the system says is the same in all of them, and no secret. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value !== 'object' || value === null || ('role' in value && value.role === 'system')) return []
  return Object.values(value).flatMap(textsIn)
}
