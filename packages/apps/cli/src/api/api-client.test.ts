import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { watch } from './api-client.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

type Handler = (reply: ServerResponse, lastEventId: string | undefined) => void

async function startServer(handler: Handler, port = 0): Promise<number> {
  const server = createServer((request, reply) => handler(reply, request.headers['last-event-id']?.toString()))
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const eventFrame = (number: number): string =>
  `data: ${JSON.stringify({ cursor: `c${number}`, stream: 's', sequence: number, at: number, kind: 'k', actor: 'a', body: {}, hash: 'h' })}\n\n`

const writeStream = (reply: ServerResponse, text: string, then: () => void = () => undefined): void => {
  reply.writeHead(200, { 'content-type': 'text/event-stream' })
  reply.write(text, then)
}

test('events resume where they stopped after a disconnect, an end, a server error and a restart', { timeout: 30_000 }, async () => {
  const asked: (string | undefined)[] = []
  const over = new AbortController()
  const stopped = Promise.withResolvers<void>()
  const port = await startServer((reply, last) => {
    asked.push(last)
    if (asked.length === 1) {
      writeStream(reply, eventFrame(1), () => reply.destroy())
    } else if (asked.length === 2) {
      writeStream(reply, eventFrame(2))
      reply.end()
    } else if (asked.length === 3) {
      reply.writeHead(503).end()
    } else {
      // The process ends in the middle of a frame.
      writeStream(reply, `${eventFrame(3)}data: {"cur`, () => {
        servers[0]?.closeAllConnections()
        servers.shift()?.close(() => stopped.resolve())
      })
    }
  })
  const seen: string[] = []
  const context = { api: `http://127.0.0.1:${port}`, token: 't' }
  const following = (async () => {
    for await (const { cursor } of watch(context, '/v1/runs/r/events', over.signal)) {
      seen.push(cursor)
      if (seen.length === 4) over.abort()
    }
  })()
  await stopped.promise
  await startServer((reply, last) => {
    asked.push(last)
    writeStream(reply, eventFrame(4))
  }, port)
  await following
  expect(seen).toEqual(['c1', 'c2', 'c3', 'c4'])
  expect(asked).toEqual([undefined, 'c1', 'c2', 'c2', 'c3'])
})

test('a control plane that was never reached is an error at once', async () => {
  const port = await startServer((reply) => reply.end())
  servers.splice(0).forEach((server) => server.close())
  const events = watch({ api: `http://127.0.0.1:${port}`, token: 't' }, '/v1/runs/r/events', new AbortController().signal)
  await expect(events.next()).rejects.toMatchObject({ code: 'IL_UNREACHABLE' })
})
