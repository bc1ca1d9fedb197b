// An engine that costs next to nothing, so that what is measured is the proxy: answers made beforehand, written from a bare socket. Streams are
// of 200 chunks, all at once or one every N milliseconds; each paced chunk carries the time it was written.
// With files of a certificate, its key and an authority it serves only gateways that show a certificate of that authority.

import { readFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createSecureServer } from 'node:tls'

const [port = '0', pace_ms = '0', chunks = '200', ...files] = process.argv.slice(2)

const chunkFrame = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const usage = '"usage":{"prompt_tokens":10,"completion_tokens":200,"total_tokens":210}'
const common = '"id":"a-1","object":"chat.completion.chunk","created":1,"model":"m"'
const body = `{"id":"a-1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"${'an answer of ordinary length '.repeat(4)}"},"finish_reason":"stop"}],${usage}}`
const unary = Buffer.from(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'
const chunk = (text: string): string =>
  chunkFrame(`data: {${common},"choices":[{"index":0,"delta":{"content":"${text}"},"finish_reason":null}]}\n\n`)
const last = Buffer.from(`${chunkFrame(`data: {${common},"choices":[],${usage}}\n\n`)}${chunkFrame('data: [DONE]\n\n')}0\r\n\r\n`)
const plain = Buffer.from(chunk(' token'))

type Stream = { readonly socket: Socket; left: number }
const streams = new Map<Socket, Stream>()

if (Number(pace_ms) > 0)
  setInterval(() => {
    const now = Buffer.from(chunk(`t${process.hrtime.bigint()}`))
    for (const stream of streams.values()) {
      stream.left -= 1
      if (stream.left >= 0) stream.socket.write(now)
      else {
        streams.delete(stream.socket)
        stream.socket.write(last)
      }
    }
  }, Number(pace_ms))

function answer(socket: Socket, request: string): void {
  if (!request.includes('"stream":true')) {
    socket.write(unary)
    return
  }
  socket.write(head)
  if (Number(pace_ms) > 0) streams.set(socket, { socket, left: Number(chunks) })
  else {
    for (let index = 0; index < Number(chunks); index += 1) socket.write(plain)
    socket.write(last)
  }
}

function serve(socket: Socket): void {
  let text = ''
  socket.on('error', () => undefined)
  socket.on('close', () => streams.delete(socket))
  socket.on('data', (data) => {
    text += data.toString('latin1')
    for (let end = text.indexOf('\r\n\r\n'); end !== -1; end = text.indexOf('\r\n\r\n')) {
      const length = Number(/content-length: *(\d+)/i.exec(text.slice(0, end))?.[1] ?? 0)
      if (text.length < end + 4 + length) return
      answer(socket, text.slice(end + 4, end + 4 + length))
      text = text.slice(end + 4 + length)
    }
  })
}

function makeServer(): Server {
  const [cert, key, ca] = files.map((file) => readFileSync(file))
  if (!cert || !key || !ca) return createServer({ noDelay: true }, serve)
  return createSecureServer({ noDelay: true, cert, key, ca, requestCert: true, rejectUnauthorized: true }, serve)
}
makeServer().listen({ port: Number(port), host: '127.0.0.1', backlog: 8192 }, () => console.log('ready'))
