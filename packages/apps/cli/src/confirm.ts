// The one question that commands ask before they change something.

import { createInterface } from 'node:readline'
import { IronlawError } from '@ironlaw/contracts'
import { endInterrupted } from './interruption.ts'

export type Confirmation = {
  readonly question: string
  /** What -y does without confirmation, for when stdin is not a terminal: "apply", "remove". */
  readonly command: string
}

/** True if the user confirmed. No answer, as with Ctrl-D, means no; Ctrl-C ends the process. */
export async function confirm({ question, command }: Confirmation): Promise<boolean> {
  if (!process.stdin.isTTY) throw new IronlawError('IL_NO_TERMINAL', { question, command })
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const { promise, resolve } = Promise.withResolvers<string>()
  terminal.once('SIGINT', () =>
    endInterrupted({ what: 'nothing was changed', next: `run the command again, or pass -y to ${command} without confirmation` }),
  )
  terminal.once('close', () => resolve(''))
  terminal.question(`${question} [y/N] `, resolve)
  const answer = await promise
  terminal.close()
  return /^y(es)?$/i.test(answer.trim())
}
