// A client for measurements over bare sockets: it costs less than what it measures. One answer at a time on a connection.

import { connect, type Socket } from 'node:net'

export type Streamed = { readonly first_ms: number; readonly completion_tokens: number; readonly cached_tokens: number }

export class Connection {
  readonly #socket: Socket

  private constructor(socket: Socket) {
    this.#socket = socket
  }

  static open(url: string): Promise<Connection> {
    const { promise, resolve, reject } = Promise.withResolvers<Connection>()
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', noDelay: true }, () => resolve(new Connection(socket)))
    socket.on('error', reject)
    return promise
  }

  stream(prompt: string, tokens: number): Promise<Streamed> {
    const body = JSON.stringify({
      model: 'm',
      prompt,
      max_tokens: tokens,
      temperature: 0,
      ignore_eos: true,
      stream: true,
      stream_options: { include_usage: true },
    })
    const { promise, resolve, reject } = Promise.withResolvers<Streamed>()
    const began = performance.now()
    let first_ms = Number.NaN
    let tail = ''
    const onData = (data: Buffer): void => {
      if (Number.isNaN(first_ms) && data.includes('data: ')) first_ms = performance.now() - began
      tail = (tail + data.toString('latin1')).slice(-600)
      if (!tail.endsWith('0\r\n\r\n')) return
      this.#socket.off('data', onData)
      const count = (name: string): number => Number(new RegExp(`"${name}":(\\d+)`).exec(tail)?.[1] ?? Number.NaN)
      if (tail.includes('[DONE]'))
        resolve({ first_ms, completion_tokens: count('completion_tokens'), cached_tokens: count('cached_tokens') })
      else reject(new Error(tail))
    }
    this.#socket.on('data', onData)
    this.#socket.write(`POST /v1/completions HTTP/1.1\r\nhost: bench\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
    return promise
  }

  close(): void {
    this.#socket.destroy()
  }
}
