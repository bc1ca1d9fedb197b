// The library that writes certificates, loaded by the first who needs it: reading them is Node's own.

import { provideMetadata } from './reflect-metadata.ts'

export async function loadX509() {
  // The library refuses to load without.
  provideMetadata()
  const x509 = await import('@peculiar/x509')
  x509.cryptoProvider.set(globalThis.crypto)
  return x509
}
