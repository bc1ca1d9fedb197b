// An engine's whole answer over a socket: head, chunks, what comes behind them. Each input is what an engine sends before it closes.

import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { Connection } from '../../../packages/effects/gateway/src/upstream/connection.ts'
import { piecesOf } from '../pieces.ts'
import type { Target } from '../target.ts'

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n'
const engine: { answer: Buffer; port: number } = { answer: Buffer.alloc(0), port: 0 }

const server = createServer((socket: Socket) => {
  socket.on('error', () => undefined)
  socket.once('data', () => {
    for (const piece of piecesOf(engine.answer)) socket.write(piece)
    socket.end()
  })
}).listen({ port: 0, host: '127.0.0.1' })
server.unref()
await once(server, 'listening')
const address = server.address()
if (typeof address === 'object' && address) engine.port = address.port

export const target: Target = {
  grammar: 'text',
  seeds: [
    `${HEAD}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    `HTTP/1.1 100 Continue\r\n\r\n${HEAD}content-length: 5\r\nconnection: close\r\nretry-after: 3\r\n\r\nhello`,
    'HTTP/1.0 404 Not Found\r\n\r\n{"error":{"message":"x"}}',
    `${HEAD}transfer-encoding: chunked\r\nconnection: keep-alive\r\n\r\nA;x=y\r\n0123456789\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n`,
    'HTTP/1.1 204 No Content\r\n\r\n',
  ],
  words: [
    'HTTP/1.1 ',
    '\r\n',
    '\r\n\r\n',
    'content-length: ',
    'transfer-encoding: chunked',
    'connection: close',
    'ffffffff\r\n',
    '0\r\n\r\n',
    ';',
  ],
  run: (input, mark) => {
    engine.answer = input
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let over = 0
    const end = (how: string): void => {
      mark(how)
      over += 1
      if (over > 1) throw new Error('one request ended twice')
      connection.destroy()
      resolve()
    }
    const connection = new Connection({ host: '127.0.0.1', port: engine.port }, () => undefined)
    connection.send(
      { head: 'GET / HTTP/1.1\r\n\r\n', body: Buffer.alloc(0) },
      {
        onHead: ({ framing, keepAlive }) => mark(`${framing.kind} ${keepAlive}`),
        onBody: (payload, framed) => {
          if (framed && framed.length <= payload.length) throw new Error('a frame is shorter than what it holds')
        },
        onPause: () => undefined,
        onEnd: () => end('end'),
        onFault: (reason) => end(reason),
        // What one of the above throws.
        onThrow: reject,
      },
    )
    return promise
  },
}
