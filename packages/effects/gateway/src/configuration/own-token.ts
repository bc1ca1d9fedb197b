// The gateway's token at the control plane: from the environment, or from a file that is read for every request, so that a rotated token needs
// no restart. A file that is away or empty for a moment, as while it is replaced, leaves the token of before in use.

import { readFileSync } from 'node:fs'
import { IronlawError, systemReason } from '@ironlaw/contracts'

/** Asked for each request; undefined where there is none. */
export type OwnToken = () => string | undefined

export type TokenSource = {
  readonly file: string | undefined
  readonly environment: NodeJS.ProcessEnv
  /** Takes a line for a person, once for each problem. */
  readonly tell: (line: string) => void
}

export function ownToken({ file, environment, tell }: TokenSource): OwnToken {
  if (file === undefined) return () => environment['IRONLAW_TOKEN']
  const first = readToken(file)
  if ('problem' in first) throw new IronlawError('IL_FILE', { path: file, reason: first.problem }, { cause: first.cause })
  let { token } = first
  let problem = ''
  return () => {
    const read = readToken(file)
    if ('token' in read) token = read.token
    const found = 'problem' in read ? read.problem : ''
    if (found !== '' && found !== problem) tell(`${file}: ${found}; the token of before stays in use`)
    problem = found
    return token
  }
}

function readToken(file: string): { readonly token: string } | { readonly problem: string; readonly cause?: unknown } {
  try {
    const token = readFileSync(file, 'utf8').trim()
    if (token === '') return { problem: 'the file is empty' }
    // What is not one word cannot be sent, and the complaint about it would hold it.
    return /^[\x21-\x7e]+$/.test(token) ? { token } : { problem: 'the file holds more than one token' }
  } catch (cause) {
    return { problem: systemReason(cause) ?? String(cause), cause }
  }
}
