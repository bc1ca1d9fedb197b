// One connection to an engine: one request at a time over HTTP/1.1. Written for the one thing a general client cannot do: hand over each
// chunk together with its framing, so that a stream passes to the client's socket without being taken apart and put together again.
// docs/guides/gateway.md has what that costs compared with nginx.

import { connect, isIP, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { contain } from '../front/edge.ts'
import { type EngineTls, engineTlsOptions } from './engine-identity.ts'
import { type ResponseHead, responseHead } from './response-head.ts'

export type Exchange = {
  readonly onHead: (head: ResponseHead) => void
  /** `framed` is the same bytes as a chunk of HTTP/1.1, where they came so. */
  readonly onBody: (payload: Buffer, framed: Buffer | undefined) => void
  /** All that had arrived has been handed over. */
  readonly onPause: () => void
  readonly onEnd: () => void
  readonly onFault: (reason: string) => void
  /** One of the above threw, or the connection itself did, which is gone now. */
  readonly onThrow: (cause: unknown) => void
}

export type Address = { readonly host: string; readonly port: number; readonly tls?: EngineTls }

type State = 'idle' | 'head' | 'length' | 'chunked' | 'until-close' | 'closed'

const HEAD_LIMIT = 65_536
const FRAME_LIMIT = 67_108_864
/** Read into by all connections in turn and copied from at once: a stream between two chunks holds no buffer. */
const READ = Buffer.allocUnsafeSlow(65_536)
const LF = 10
const CR = 13

export class Connection {
  readonly #socket: Socket
  readonly #onIdle: (connection: Connection) => void
  #state: State = 'idle'
  #exchange: Exchange | undefined
  #head: ResponseHead | undefined
  #left = 0
  /** The part received of an incomplete head or frame. */
  #parts: Buffer[] = []
  #partsLength = 0
  /** Length that the next frame needs before another look is worth it. */
  #wanted = 0
  /** Requests already answered on it: a fault on a used one may only mean that the engine had just closed it. */
  uses = 0
  idleSince = 0

  constructor(address: Address, onIdle: (connection: Connection) => void) {
    this.#onIdle = onIdle
    const callback = (bytes: number): boolean => {
      this.#contain(() => this.#receive(Buffer.from(READ.subarray(0, bytes))))
      return true
    }
    this.#socket = openSocket(address, callback)
    this.#socket.on('error', (error: NodeJS.ErrnoException) => this.#contain(() => this.#failExchange(error.code ?? error.message)))
    this.#socket.on('close', () => this.#contain(() => this.#onClosed()))
  }

  get usable(): boolean {
    return this.#state === 'idle' && !this.#socket.destroyed && this.#socket.writable
  }

  send(request: { readonly head: string; readonly body: Buffer }, exchange: Exchange): void {
    this.#exchange = exchange
    this.#state = 'head'
    // One write: two that are corked become a `writev`, which costs more than the copy.
    const { head, body } = request
    const bytes = Buffer.allocUnsafe(head.length + body.length)
    bytes.write(head, 'latin1')
    body.copy(bytes, head.length)
    this.#socket.write(bytes)
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** The engine sees the connection close, and stops generating. */
  destroy(): void {
    this.#state = 'closed'
    this.#exchange = undefined
    this.#socket.destroy()
  }

  #contain(act: () => void): void {
    const exchange = this.#exchange
    contain(act, (cause) => {
      this.destroy()
      exchange?.onThrow(cause)
    })
  }

  #receive(data: Buffer): void {
    const exchange = this.#exchange
    if (!exchange) {
      // No request is in progress: this data could be mistaken for the answer to the next one.
      this.destroy()
      return
    }
    let rest: Buffer | undefined = data
    while (rest && rest.length > 0) rest = this.#step(rest, exchange)
    exchange.onPause()
  }

  /** Consumes what it can of the data and returns the rest, if it can continue. */
  #step(data: Buffer, exchange: Exchange): Buffer | undefined {
    switch (this.#state) {
      case 'head':
        return this.#readHead(data, exchange)
      case 'length': {
        const taken = data.length <= this.#left ? data : data.subarray(0, this.#left)
        this.#left -= taken.length
        exchange.onBody(taken, undefined)
        if (this.#left > 0 || this.#exchange !== exchange) return undefined
        this.#finish()
        return data.subarray(taken.length)
      }
      case 'chunked':
        return this.#readFrames(data, exchange)
      case 'until-close':
        exchange.onBody(data, undefined)
        return undefined
      case 'idle':
        this.destroy()
        return undefined
      case 'closed':
        return undefined
    }
  }

  #readHead(data: Buffer, exchange: Exchange): Buffer | undefined {
    const all = this.#takeParts(data)
    const end = all.indexOf('\r\n\r\n')
    if (end === -1) {
      if (all.length > HEAD_LIMIT) this.#failExchange('the head of the answer is too long')
      else this.#keep(all)
      return undefined
    }
    const head = responseHead(all.toString('latin1', 0, end))
    if (!head) {
      this.#failExchange('the answer is not HTTP/1.1')
      return undefined
    }
    const rest = all.subarray(end + 4)
    if (head.status < 200) return rest
    this.#head = head
    this.#state = head.framing.kind
    this.#left = head.framing.kind === 'length' ? head.framing.bytes : 0
    exchange.onHead(head)
    if (this.#exchange !== exchange) return undefined
    if (this.#state === 'length' && this.#left === 0) this.#finish()
    return rest
  }

  #readFrames(data: Buffer, exchange: Exchange): Buffer | undefined {
    if (this.#partsLength + data.length < this.#wanted) {
      this.#keep(data)
      return undefined
    }
    const all = this.#takeParts(data)
    let at = 0
    while (at < all.length) {
      const line = all.indexOf(LF, at)
      if (line === -1 || line - at > 18) {
        if (all.length - at > 18) this.#failExchange('a chunk has no size')
        break
      }
      const size = frameSize(all, at, line)
      if (size < 0 || size > FRAME_LIMIT) {
        this.#failExchange('a chunk has no valid size')
        return undefined
      }
      const end = line + 1 + size + 2
      if (end > all.length) {
        this.#wanted = end - at
        break
      }
      // Chunks are passed on with their framing: one that does not end where it says would shift every answer behind it.
      if (all[end - 2] !== CR || all[end - 1] !== LF) {
        this.#failExchange(size === 0 ? 'trailers are not accepted' : 'a chunk does not end where its size says')
        return undefined
      }
      if (size === 0) {
        this.#finish()
        return all.subarray(end)
      }
      // Extensions are dropped: without its own frame the chunk is framed again.
      exchange.onBody(all.subarray(line + 1, end - 2), hasExtension(all, at, line) ? undefined : all.subarray(at, end))
      if (this.#exchange !== exchange) return undefined
      at = end
    }
    if (at < all.length) this.#keep(all.subarray(at))
    return undefined
  }

  #keep(data: Buffer): void {
    this.#parts.push(data)
    this.#partsLength += data.length
  }

  #takeParts(data: Buffer): Buffer {
    this.#wanted = 0
    if (this.#partsLength === 0) return data
    const all = Buffer.concat([...this.#parts, data])
    this.#parts = []
    this.#partsLength = 0
    return all
  }

  #finish(): void {
    const exchange = this.#exchange
    this.#exchange = undefined
    this.uses += 1
    if (this.#head?.keepAlive && this.#socket.writable) {
      this.#state = 'idle'
      this.#socket.resume()
      exchange?.onEnd()
      this.#onIdle(this)
      return
    }
    this.destroy()
    exchange?.onEnd()
  }

  #failExchange(reason: string): void {
    const exchange = this.#exchange
    this.destroy()
    exchange?.onFault(reason)
  }

  #onClosed(): void {
    if (this.#state === 'until-close') this.#finish()
    else if (this.#state !== 'closed') this.#failExchange('the connection closed')
  }
}

function openSocket({ host, port, tls }: Address, callback: (bytes: number) => boolean): Socket {
  const options = { host, port, noDelay: true, keepAlive: true, onread: { buffer: READ, callback } }
  if (!tls) return connect(options)
  const { servername: _, ...rest } = engineTlsOptions(tls)
  // An address is not sent as a name, and is checked all the same.
  return connectSecurely({ ...options, ...rest, ...(isIP(tls.servername) === 0 && { servername: tls.servername }) })
}

const SEMICOLON = 59

function hasExtension(data: Buffer, start: number, line: number): boolean {
  for (let at = start; at < line; at += 1) if (data[at] === SEMICOLON) return true
  return false
}

/** The hexadecimal size at the start of a chunk, -1 where there is none or its line does not end in CR LF. An extension is skipped. */
function frameSize(data: Buffer, start: number, line: number): number {
  let size = 0
  let at = start
  for (; at < line; at += 1) {
    const code = data[at] ?? 0
    const digit = code >= 48 && code <= 57 ? code - 48 : (code | 32) >= 97 && (code | 32) <= 102 ? (code | 32) - 87 : -1
    if (digit === -1) break
    size = size * 16 + digit
  }
  const next = data[at]
  const ends = data[line - 1] === CR && ((next === CR && at === line - 1) || next === SEMICOLON)
  return at > start && ends ? size : -1
}
