// Spare ports for daemons, in one row. Below 32768, where Linux starts to hand out ports to client sockets.

import { createServer } from 'node:net'

const LOWEST = 12_000
const HIGHEST = 32_000

export async function sparePorts(count: number): Promise<number> {
  for (;;) {
    const first = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST - count))
    const spare = await Promise.all(Array.from({ length: count }, (_, index) => isSpare(first + index)))
    if (spare.every(Boolean)) return first
  }
}

const isSpare = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
