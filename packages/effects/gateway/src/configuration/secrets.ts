// Secrets that a gateway takes from its environment: which names it may read, and where the database's address may come from.

import { readFileSync } from 'node:fs'
import { secureDatabaseUrl } from '@ironlaw/contracts'
import type { GatewaySnapshot } from '@ironlaw/contracts/gateway-snapshot'

/** The configuration names both the variable and the address that gets its value; without this pattern it could read out any variable. */
const ENGINE_TOKEN = /^IRONLAW_ENGINE_TOKEN(?:_[A-Z\d_]+)?$/

/** The token for the engines of a pool, undefined where there is none or the variable is not one for engines. */
export const engineToken = (variable: string | undefined, environment: NodeJS.ProcessEnv = process.env): string | undefined =>
  variable !== undefined && ENGINE_TOKEN.test(variable) ? environment[variable] : undefined

/** What is wrong with the variables that a snapshot names, a line each. */
export const tokenWarnings = ({ pools }: GatewaySnapshot, environment: NodeJS.ProcessEnv = process.env): readonly string[] =>
  Object.entries(pools).flatMap(([name, { token_variable: variable }]) => {
    if (variable === undefined || engineToken(variable, environment) !== undefined) return []
    const problem = ENGINE_TOKEN.test(variable)
      ? 'is not set'
      : 'is not read: only IRONLAW_ENGINE_TOKEN and names that begin with IRONLAW_ENGINE_TOKEN_ are; rename the variable here and in the configuration'
    return [`pool "${name}": requests go to its engines without a token, since ${variable} ${problem}`]
  })

export type DatabaseSource = {
  readonly flag: string | undefined
  readonly file: string | undefined
  readonly environment: NodeJS.ProcessEnv
}

/** The first of: the flag, the file, IRONLAW_GATEWAY_DATABASE. Beyond loopback the connection is protected unless the URL says otherwise. */
export function databaseUrl(source: DatabaseSource): { readonly url: string | undefined; readonly warning?: string } {
  const given = givenUrl(source)
  if (given.url === undefined) return given
  const { url, warning } = secureDatabaseUrl(given.url)
  const warnings = [given.warning, warning].filter((each) => each !== undefined)
  return warnings.length === 0 ? { url } : { url, warning: warnings.join('\n') }
}

function givenUrl({ flag, file, environment }: DatabaseSource): { readonly url: string | undefined; readonly warning?: string } {
  if (flag !== undefined) return hasPassword(flag) ? { url: flag, warning: PASSWORD_WARNING } : { url: flag }
  if (file !== undefined) return { url: readFileSync(file, 'utf8').trim() }
  return { url: environment['IRONLAW_GATEWAY_DATABASE'] }
}

const PASSWORD_WARNING =
  'the password of the database is on the command line, where every user of this machine can read it; use --database-file or IRONLAW_GATEWAY_DATABASE'

const hasPassword = (url: string): boolean =>
  URL.canParse(url) && (new URL(url).password !== '' || new URL(url).searchParams.has('password'))
