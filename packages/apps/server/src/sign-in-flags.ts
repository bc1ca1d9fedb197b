// The flags about signing in, checked before anything starts: what is wrong there would otherwise show when the first person signs in.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isSafeAddress, refuseUnsafe } from '@ironlaw/control/sign-in'
import { IronlawError } from '@ironlaw/contracts'
import type { FlagValues } from '@ironlaw/contracts/program-flags'
import type { SERVER_FLAGS } from '@ironlaw/contracts/programs'
import type { ServerOptions } from './start-server.ts'

type Flags = Pick<
  FlagValues<typeof SERVER_FLAGS>,
  'oidc-issuer' | 'oidc-client-id' | 'oidc-client-secret-file' | 'oidc-groups-claim' | 'oidc-scopes' | 'public-url'
>

export function readSignIn(flags: Flags, listen: { readonly host: string }): ServerOptions['signIn'] {
  const { 'oidc-issuer': issuer, 'oidc-client-id': clientId, 'public-url': publicUrl, 'oidc-client-secret-file': file } = flags
  if (issuer === undefined && clientId === undefined) return undefined
  if (issuer === undefined || clientId === undefined) throw usage('signing in needs both --oidc-issuer URL and --oidc-client-id ID')
  refuseUnsafe('--oidc-issuer', issuer)
  if (publicUrl !== undefined) refuseUnsafe('--public-url', publicUrl)
  else if (!isSafeAddress(`http://${listen.host}`))
    throw usage(`signing in needs --public-url https://..., the address under which people reach ${listen.host}`)
  const scopes = flags['oidc-scopes'].trim()
  if (!scopes.split(/\s+/).includes('openid')) throw usage(`--oidc-scopes "${scopes}": "openid" must be one of them`)
  if (file !== undefined) refuseEmpty(resolve(file))
  return {
    issuer,
    clientId,
    scopes,
    groupsClaim: flags['oidc-groups-claim'],
    ...(file !== undefined && { clientSecretFile: resolve(file) }),
    ...(publicUrl !== undefined && { publicUrl }),
  }
}

function refuseEmpty(path: string): void {
  if (readFileSync(path, 'utf8').trim() === '') throw new IronlawError('IL_FILE', { path, reason: 'it is empty' })
}

const usage = (problem: string): IronlawError => new IronlawError('IL_USAGE', { problem, command: 'up' })
