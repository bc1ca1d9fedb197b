// Which authorities the connections of this process trust, those of `fetch` among them, which takes no list of its own.

import { getCACertificates, setDefaultCACertificates } from 'node:tls'

const added = new Set<string>()

/** In addition to those that the machine trusts: a control plane may also have a certificate of a public authority. */
export function trustAuthority(pem: string): void {
  // Called for every request; the list of the machine has some 150 entries.
  if (added.has(pem)) return
  const known = getCACertificates('default')
  if (!known.includes(pem)) setDefaultCACertificates([...known, pem])
  added.add(pem)
}
