// Reads files named on the command line: JSON by extension, YAML otherwise, with the position of a syntax error.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, parse, resolve } from 'node:path'
import { IronlawError, nearestNames, systemReason } from '@ironlaw/contracts'
import { LineCounter, parseDocument } from 'yaml'

export function readDocument(path: string): unknown {
  const text = readText(path)
  const isJson = path.endsWith('.json')
  try {
    return isJson ? JSON.parse(text) : parseYaml(text)
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause)
    throw new IronlawError('IL_DOCUMENT', { path, reason }, { cause, next: syntaxAdvice(reason, isJson) })
  }
}

export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const reason = systemReason(cause) ?? String(cause)
    throw new IronlawError('IL_FILE', { path, reason }, { cause, next: pathAdvice(path) })
  }
}

/** Files in the same directory with similar names, or where the file was looked for. */
function pathAdvice(path: string): string {
  const directory = dirname(resolve(path))
  if (statSync(path, { throwIfNoEntry: false })) return 'check that it is a file that you may read'
  const names = existsSync(directory) ? readdirSync(directory).slice(0, MOST_NAMES) : []
  // Compare without extensions: a shared extension makes different names look similar.
  const byStem = Map.groupBy(names, (name) => parse(name).name)
  const near = nearestNames(
    parse(path).name,
    byStem.keys().map((name) => ({ name })),
  ).flatMap((stem) => byStem.get(stem) ?? [])
  return near.length > 0 ? `did you mean ${near.join(' or ')}?` : `check the path: it was looked for in ${directory}`
}

/** Entries of a directory: comparing a name with more of them takes longer than a user waits. */
const MOST_NAMES = 1000

function syntaxAdvice(reason: string, isJson: boolean): string {
  if (isJson) return 'correct the JSON there; a file whose name does not end in .json is read as YAML'
  if (/tab/i.test(reason)) return 'indent with spaces: YAML does not allow tabs'
  if (/nested mappings|indent|implicit|block collections|multiline/i.test(reason))
    return 'check the indentation there: fields of one block begin in the same column, and values with ": " in them need quotes'
  return 'correct the YAML there'
}

/** Only the first error is shown with its position: a file of 25 kB can have 12,000, and describing each took two thirds of the time. */
function parseYaml(text: string): unknown {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { prettyErrors: false, lineCounter })
  const [error] = document.errors
  if (!error) return document.toJS()
  const { line, col } = lineCounter.linePos(error.pos[0])
  throw new Error(`line ${line}, column ${col}: ${error.message}`)
}

/** The config.json that a path stands for: the file itself, or the one in that directory; undefined when there is none. */
export function configPath(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return undefined
  return stats.isDirectory() ? join(path, 'config.json') : path
}
