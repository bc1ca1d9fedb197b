// The client's side of a stream. After the head has gone out, chunks that came framed go to the socket as they are: `ServerResponse.write`
// would frame each again in three pieces. A client that reads slowly stops the engine's connection, so nothing piles up here.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { cutStalledReader } from '../front/reply.ts'

export class StreamReply {
  readonly #response: ServerResponse
  readonly #socket: Socket | undefined
  readonly #onDrain: () => void
  /** Neighbouring chunks of one read, to be written at once. */
  #run: Buffer | undefined
  /** Since when the client has taken nothing, in the caller's clock. */
  blocked = false
  bytes = 0

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    { headers, onDrain }: { readonly headers: string[]; readonly onDrain: () => void },
  ) {
    this.#response = response
    this.#onDrain = onDrain
    // Behind an unfinished answer on the same connection (pipelining) there is no socket yet; HTTP/1.0 knows no chunks.
    this.#socket = request.httpVersionMinor === 1 && response.socket ? response.socket : undefined
    this.#socket?.cork()
    response.writeHead(200, headers)
    response.flushHeaders()
    if (this.#socket) this.#socket.on('drain', this.#drained)
    else response.on('drain', this.#drained)
  }

  pass(payload: Buffer, framed: Buffer | undefined): void {
    this.bytes += payload.length
    if (!this.#socket) {
      this.#response.write(payload)
      return
    }
    const chunk = framed ?? framedChunk(payload)
    const run = this.#run
    if (run && chunk.buffer === run.buffer && chunk.byteOffset === run.byteOffset + run.length) {
      this.#run = Buffer.from(run.buffer, run.byteOffset, run.length + chunk.length)
      return
    }
    this.#write()
    this.#run = chunk
  }

  /** Whether the client keeps up; `onDrain` says when it does again. */
  flush(): boolean {
    this.#write()
    if (!this.#socket) this.blocked = this.#response.writableNeedDrain
    else {
      while (this.#socket.writableCorked > 0) this.#socket.uncork()
      this.blocked = this.#socket.writableNeedDrain
    }
    return !this.blocked
  }

  end(): void {
    this.#write()
    this.#socket?.off('drain', this.#drained)
    this.#response.off('drain', this.#drained)
    this.#response.end()
    if (this.#socket) while (this.#socket.writableCorked > 0) this.#socket.uncork()
    cutStalledReader(this.#response)
  }

  readonly #drained = (): void => {
    this.blocked = false
    this.#onDrain()
  }

  #write(): void {
    if (this.#run) this.#socket?.write(this.#run)
    this.#run = undefined
  }
}

const framedChunk = (payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${payload.length.toString(16)}\r\n`, 'latin1'), payload, Buffer.from('\r\n', 'latin1')])
