// Addresses that the control plane sends to, as flags name them.

import { readFileSync } from 'node:fs'

/** `?ca=FILE` names the authority that signed the certificate of the other side; it is taken out of the address. */
export function authorityIn(url: URL, wrong: (problem: string) => Error): { readonly ca?: string } {
  const file = url.searchParams.get('ca')
  if (file === null) return {}
  url.searchParams.delete('ca')
  try {
    return { ca: readFileSync(file, 'utf8') }
  } catch (cause) {
    throw wrong(`cannot read ${file}: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}

/** Without what may be secret in it. */
export const publicName = ({ protocol, host, pathname }: URL): string => `${protocol}//${host}${pathname === '/' ? '' : pathname}`

/** Nobody on the way reads what is sent there. */
export const isPrivate = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))

export const INSECURE = 'http only reaches this machine; use https'
