// How people sign in: the identity provider, and the address under which they open the console.

import { IronlawError } from '@ironlaw/contracts'

export type SignInSettings = {
  readonly issuer: string
  readonly clientId: string
  /** Of a confidential client; read again with the provider's metadata, so that a new secret needs no restart. */
  readonly clientSecretFile?: string
  /** The claim that lists the groups of a person. */
  readonly groupsClaim: string
  /** Separated by spaces. */
  readonly scopes: string
  /** Where people open the console, which the provider redirects back to. Known once the API listens. */
  readonly publicUrl: () => string
}

export const CALLBACK = '/v1/sign-in/callback'

/** For logs: the address of a sign-in carries the provider's code. */
export const withoutCode = (url: string): string => (url.startsWith(`${CALLBACK}?`) ? `${CALLBACK}?...` : url)

export const redirectUri = ({ publicUrl }: SignInSettings): string => new URL(CALLBACK, publicUrl()).href

export const isSecure = ({ publicUrl }: SignInSettings): boolean => new URL(publicUrl()).protocol === 'https:'

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** HTTPS, or this machine: whoever reads along would get the code of a sign-in, or its session. */
export const isSafeAddress = (url: string): boolean => {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, username, password } = new URL(url)
  return (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))) && username === '' && password === ''
}

export function refuseUnsafe(flag: string, url: string): void {
  if (isSafeAddress(url)) return
  throw new IronlawError('IL_USAGE', {
    problem: `${flag} ${url}: expected an address with https (http only on this machine itself)`,
    command: 'up',
  })
}
