// A network between a client and its database that can fall silent: connections stay open, and nothing arrives any more.

import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'

export type SilentProxy = {
  /** The same database through this network. */
  readonly url: string
  /** Connections made from now on work; those that fell silent stay silent. */
  readonly heal: () => void
  readonly fallSilent: () => void
  readonly close: () => void
}

/** `database`: a server that listens on a socket file. */
export async function silentProxy(database: string): Promise<SilentProxy> {
  const to = new URL(database)
  const sockets = new Set<Socket>()
  let isSilent = false
  const server = createServer((near) => {
    sockets.add(near)
    near.on('error', () => undefined)
    if (isSilent) return
    const far = connect(join(to.searchParams.get('host') ?? '', '.s.PGSQL.5432'))
    sockets.add(far)
    far.on('error', () => near.destroy())
    near.on('data', (bytes) => isSilentFor(near) || far.write(bytes))
    far.on('data', (bytes) => isSilentFor(near) || near.write(bytes))
    near.on('close', () => far.destroy())
    far.on('close', () => isSilentFor(near) || near.destroy())
  })
  const silenced = new WeakSet<Socket>()
  const isSilentFor = (socket: Socket): boolean => {
    if (isSilent) silenced.add(socket)
    return silenced.has(socket)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const url = new URL(database)
  url.searchParams.delete('host')
  url.hostname = '127.0.0.1'
  url.port = String(address.port)
  return {
    url: url.href,
    fallSilent: () => {
      isSilent = true
      for (const socket of sockets) silenced.add(socket)
    },
    heal: () => (isSilent = false),
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
