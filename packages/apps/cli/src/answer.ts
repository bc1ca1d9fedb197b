// The result of a command: data for scripts, and text for people, which is built only when it is printed.

import { IronlawError } from '@ironlaw/contracts'
import { errorText } from './error-text.ts'

export type CommandAnswer = {
  readonly json: unknown
  readonly text: () => string
  /** Notes for the user when the answer goes into a file; printed on standard error. */
  readonly notes?: readonly string[]
  /** 3 when the answer is that a stated constraint is violated. */
  readonly exit?: 3
  /** Which constraint, and what to change; printed like an error. */
  readonly violation?: { readonly problem: string; readonly next: string }
}

export function printAnswer({ json, text, notes = [], exit, violation }: CommandAnswer, asJson: boolean): void {
  process.stdout.write(asJson ? `${JSON.stringify(json, undefined, 2)}\n` : `${text()}\n`)
  if (!asJson) for (const note of notes) process.stderr.write(`${note}\n`)
  if (!asJson && violation) process.stderr.write(errorText(new IronlawError('IL_VIOLATED', violation), false))
  if (exit !== undefined) process.exitCode = exit
}
