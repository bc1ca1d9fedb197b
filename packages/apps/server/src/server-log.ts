// The log of the control plane: JSON lines in a file of bounded size; the terminal shows warnings and errors only.

import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

export type ServerLog = { write(line: string): void }

export type LogOptions = {
  readonly file: string
  /** Every line goes to the terminal as well. */
  readonly verbose: boolean
  readonly terminal: { write(text: string): unknown }
  readonly limit_bytes?: number
}

/** Some 250,000 requests; the file before it is kept as well. */
const LIMIT_BYTES = 64 << 20

/** pino's level "warn": from here on an operator should read it. */
const LEVEL = /^\{"level":(\d+)/
const WARN = 40

export function serverLog({ file, verbose, terminal, limit_bytes = LIMIT_BYTES }: LogOptions): ServerLog {
  let isWritten = true
  let size = 0
  const append = (line: string): void => {
    if (size + line.length > limit_bytes) {
      renameSync(file, `${file}.1`)
      size = 0
    }
    appendFileSync(file, line, { mode: 0o600 })
    size += line.length
  }
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  } catch (cause) {
    terminal.write(`warning: no log is written: ${String(cause)}\n`)
  }
  return {
    write: (line) => {
      try {
        append(line)
        isWritten = true
      } catch (cause) {
        // A full disk must not end the control plane. Said once, until it is over.
        if (isWritten) terminal.write(`warning: the log ${file} cannot be written: ${String(cause)}\n`)
        isWritten = false
      }
      if (verbose) terminal.write(line)
      else if (Number(LEVEL.exec(line)?.[1] ?? 0) >= WARN) terminal.write(`warning: ${messageOf(line)}\n`)
    },
  }
}

function messageOf(line: string): string {
  const { msg, err }: { msg?: string; err?: { message?: string } } = JSON.parse(line)
  return [msg, err?.message].filter((part) => part !== undefined).join(': ')
}
