// Where measured entries are stored: one document per version in ~/.ironlaw/measured (or IRONLAW_MEASURED). The highest number is in force.
// A version is written to a temporary file and renamed into place, so a reader sees the old one or the new one; undo renames the newest
// away and leaves the one before it unchanged, byte for byte.

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, writeSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Json, JsonObject } from '@ironlaw/catalog'
import { IronlawError } from '@ironlaw/contracts'
import * as z from 'zod'
import { stringify } from 'yaml'
import { readDocument } from '../input-file.ts'

const time = z.number().positive()
const FINISHED = z.object({
  run: z.string(),
  at: z.string(),
  accelerator: z.string(),
  predicted_s: time,
  low_s: time,
  high_s: time,
  measured_s: time,
})

const DATA_RUN = z.object({
  run: z.string(),
  at: z.string(),
  machine: z.string(),
  work: z.array(
    z.object({
      does: z.string(),
      bytes: z.number().nonnegative(),
      time_s: z.number().nonnegative(),
      planned_s: z.number().nonnegative().exactOptional(),
    }),
  ),
})

const DOCUMENT = z.object({
  made: z.object({ at: z.string(), by: z.string() }),
  /** In the format of a file for `--with`. */
  catalog: z.record(z.string(), z.record(z.string(), z.record(z.string(), z.json()))).default({}),
  /** Serving engines by name, for the simulator. */
  engines: z.record(z.string(), z.record(z.string(), z.json())).default({}),
  /** Runs compared with their plans: each counts once, and they calibrate the intervals. */
  finished: z.array(FINISHED).default([]),
  /** What runs that made datasets worked on and how long: plans learn the rates from them anew, so that none is judged by itself. */
  data: z.array(DATA_RUN).default([]),
})

export type MeasuredDocument = {
  readonly made: { readonly at: string; readonly by: string }
  readonly catalog: { readonly [kind: string]: { readonly [id: string]: JsonObject } }
  readonly engines?: { readonly [id: string]: JsonObject }
  readonly finished: readonly z.infer<typeof FINISHED>[]
  readonly data?: readonly z.infer<typeof DATA_RUN>[]
}

export type Version = { readonly number: number; readonly file: string; readonly document: MeasuredDocument }

const measuredDirectory = (): string => process.env['IRONLAW_MEASURED'] ?? join(homedir(), '.ironlaw', 'measured')

const NAME = /^(\d{6})\.yaml$/
const numbersIn = (directory: string, pattern: RegExp): readonly number[] =>
  existsSync(directory) ? readdirSync(directory).flatMap((name) => (pattern.test(name) ? [Number.parseInt(name, 10)] : [])) : []

export function currentVersion(directory: string = measuredDirectory()): Version | undefined {
  const number = newest(directory)
  if (number === undefined) return undefined
  const file = fileOf(directory, number)
  const read = DOCUMENT.safeParse(readDocument(file))
  if (read.success) return { number, file, document: read.data }
  throw new IronlawError('IL_FILE', {
    path: file,
    reason: 'it was not written by "ironlaw calibrate"; "ironlaw calibrate --undo" removes it',
  })
}

function newest(directory: string): number | undefined {
  const numbers = numbersIn(directory, NAME)
  return numbers.length === 0 ? undefined : Math.max(...numbers)
}

export function writeVersion(document: MeasuredDocument, directory: string = measuredDirectory()): Version {
  mkdirSync(directory, { recursive: true })
  // Version numbers that were undone are not reused: the same number must never mean two documents.
  const number = 1 + Math.max(0, ...numbersIn(directory, /^\d{6}\./))
  const file = fileOf(directory, number)
  const beside = `${file}.tmp-${process.pid}`
  const open = openSync(beside, 'wx')
  writeSync(
    open,
    `# Written by ironlaw calibrate; "ironlaw calibrate --undo" reverts it.\n${stringify(document satisfies Json, { lineWidth: 140, aliasDuplicateObjects: false })}`,
  )
  fsyncSync(open)
  closeSync(open)
  renameSync(beside, file)
  return { number, file, document }
}

/** The version that is in force again; undefined when none is left. */
export function undoVersion(
  directory: string = measuredDirectory(),
): { readonly undone: number; readonly now: Version | undefined } | undefined {
  const undone = newest(directory)
  if (undone === undefined) return undefined
  const file = fileOf(directory, undone)
  renameSync(file, file.replace(/\.yaml$/, '.undone.yaml'))
  return { undone, now: currentVersion(directory) }
}

const fileOf = (directory: string, number: number): string => join(directory, `${String(number).padStart(6, '0')}.yaml`)
