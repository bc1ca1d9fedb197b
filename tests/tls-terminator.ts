// TLS in front of a server on loopback that speaks plain HTTP, with a certificate of an authority that this machine does not know.

import { connect } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { openAuthority } from '@ironlaw/certificates'

export type Terminator = {
  readonly url: string
  readonly ca: string
  readonly caFile: string
  /** Handshakes that were completed. */
  readonly connections: () => number
  readonly close: () => void
}

export async function terminateTls(plainUrl: string, directory: string): Promise<Terminator> {
  const authority = await openAuthority(directory)
  const served = await authority.issue({ holder: 'tls terminator', names: [], addresses: ['127.0.0.1'], usage: 'server' })
  let connections = 0
  const server = createServer(served, (socket) => {
    connections += 1
    const inner = connect({ host: '127.0.0.1', port: Number(new URL(plainUrl).port) })
    socket.pipe(inner).pipe(socket)
    socket.on('error', () => inner.destroy())
    inner.on('error', () => socket.destroy())
  })
  // A client that does not trust it ends the handshake.
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  return {
    url: `https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    ca: authority.ca,
    caFile: join(directory, 'ca.pem'),
    connections: () => connections,
    close: () => server.close(),
  }
}
