// An unused port, below 32768, where Linux starts to hand out ports to client sockets.

import { createServer } from 'node:net'

export async function sparePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
    if (await promise) return port
  }
}
