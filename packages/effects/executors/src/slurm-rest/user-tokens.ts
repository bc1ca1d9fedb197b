// Tokens of Slurm's REST API for each user: signed here with the cluster's key (auth/jwt, HS256), or printed by a command that the site has
// for it. They live for minutes, and are made again before they end.

import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

export type TokenSource =
  /** `jwt_key` of slurm.conf; whoever reads it can be any user of the cluster. */
  | { readonly keyFile: string }
  /** Called with the name of the user; prints the token, as `scontrol token username=NAME` does. */
  | { readonly command: string }

const LIFE_S = 600
/** A token is replaced while it is still good for the request in hand. */
const MARGIN_S = 120
const COMMAND_MS = 15_000

const run = promisify(execFile)

export function userTokens(source: TokenSource, now: () => number = () => Date.now() / 1000): (user: string) => Promise<string> {
  const kept = new Map<string, { readonly token: string; readonly until: number }>()
  return async (user) => {
    const known = kept.get(user)
    if (known && known.until - MARGIN_S > now()) return known.token
    const token = 'keyFile' in source ? signedToken(await readFile(source.keyFile), user, now()) : await printedToken(source.command, user)
    kept.set(user, { token, until: now() + LIFE_S })
    return token
  }
}

/** `sun` is the claim that Slurm takes for the user. */
export function signedToken(key: Buffer, user: string, now: number): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const at = Math.floor(now)
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ iat: at, exp: at + LIFE_S, sun: user })}`
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
}

async function printedToken(command: string, user: string): Promise<string> {
  const { stdout } = await run(command, [user], { timeout: COMMAND_MS })
  return stdout.trim().replace(/^SLURM_JWT=/, '')
}
