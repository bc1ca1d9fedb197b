// Files that a person names on the command line: JSON by its ending, YAML otherwise, with the place of a syntax error.

import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { IronlawError } from '@ironlaw/contracts'
import { LineCounter, parseDocument } from 'yaml'

export function readDocument(path: string): unknown {
  const text = attempt('IL_FILE', path, () => readFileSync(path, 'utf8'))
  return attempt('IL_DOCUMENT', path, () => (path.endsWith('.json') ? JSON.parse(text) : parseYaml(text)))
}

function attempt<T>(code: 'IL_FILE' | 'IL_DOCUMENT', path: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause)
    throw new IronlawError(code, { path, reason }, { cause })
  }
}

/** Only the first error is shown with its place: a file of 25 kB can have 12,000, and to describe each took two thirds of the time. */
function parseYaml(text: string): unknown {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { prettyErrors: false, lineCounter })
  const [error] = document.errors
  if (!error) return document.toJS()
  const { line, col } = lineCounter.linePos(error.pos[0])
  throw new Error(`${error.message} at line ${line}, column ${col}`)
}

/** The config.json that a path stands for: the file itself, or the one in that directory; undefined when there is none. */
export function configPath(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return undefined
  return stats.isDirectory() ? join(path, 'config.json') : path
}
