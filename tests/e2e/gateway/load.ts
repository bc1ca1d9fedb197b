// A client for measurements: bare sockets, so that it costs less than what it measures.

import { connect, type Socket } from 'node:net'
import { connect as connectSecurely, type ConnectionOptions, createSecureContext, type SecureContext } from 'node:tls'
import type { Proxy } from './proxies.ts'

export type Sample = { readonly latencies_ms: number[]; readonly done: number; readonly failed: number; readonly chunks: number }

const PROMPT = 'Write me a short answer, please, about anything at all that comes to mind.'

/** Tokens of an answer where the way there is measured, not the engine. */
export const SHORT = 4

export function requestText({ headers }: Pick<Proxy, 'headers'>, stream: boolean, { model = 'm', max_tokens = 200 } = {}): string {
  const body = JSON.stringify({
    model,
    messages: [
      { role: 'system', content: 'You help.' },
      { role: 'user', content: PROMPT },
    ],
    max_tokens,
    ...(stream ? { stream: true } : {}),
  })
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST /v1/chat/completions HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\n${lines.join('')}content-length: ${body.length}\r\n\r\n${body}`
}

/** The load opens them and closes them again, or keeps to those that it is given: what they cost to open is then not measured. */
export type Connections = number | readonly Socket[]

type UnaryOptions = { readonly connections: Connections; readonly requests: number; readonly perSecond?: number }

/** Whole answers in one piece, over N connections, each asking again at once or at a rate for all of them. */
export async function unaryLoad(proxy: Proxy, { connections, requests, perSecond }: UnaryOptions): Promise<Sample> {
  const text = requestText(proxy, false)
  const latencies_ms: number[] = []
  const count = { sent: 0, failed: 0 }
  const began = performance.now()
  await Promise.all(
    openOrGiven(proxy, connections).map(async (opening) => {
      const socket = await opening
      while (count.sent < requests) {
        const number = (count.sent += 1)
        const due = perSecond === undefined ? 0 : began + (1000 * number) / perSecond - performance.now()
        if (due > 0) await new Promise((resolve) => setTimeout(resolve, due))
        const at = performance.now()
        const status = await fetchStatus(socket, text)
        latencies_ms.push(performance.now() - at)
        if (status !== 200) count.failed += 1
      }
      if (typeof connections === 'number') socket.destroy()
    }),
  )
  return { latencies_ms, done: count.sent, failed: count.failed, chunks: 0 }
}

const openOrGiven = (proxy: Proxy, connections: Connections): readonly (Socket | Promise<Socket>)[] =>
  typeof connections === 'number' ? Array.from({ length: connections }, () => connectTo(proxy)) : connections

export const openSocket = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket)).on('error', reject)
  })

/** To read the authority costs the client more than a handshake. */
const trusted = new Map<string, SecureContext>()

/** A session of before spares the server its signature. */
export async function connectTo(
  { port, ca }: Pick<Proxy, 'port' | 'ca'>,
  resume: Pick<ConnectionOptions, 'session'> = {},
): Promise<Socket> {
  if (ca === undefined) return openSocket(port)
  const secureContext = trusted.get(ca) ?? createSecureContext({ ca })
  trusted.set(ca, secureContext)
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = connectSecurely({ port, host: '127.0.0.1', servername: 'localhost', secureContext, ...resume }, () =>
    resolve(socket.setNoDelay(true)),
  )
  socket.on('error', reject)
  return promise
}

/** The status of the whole answer; 0 where the connection ended first. */
export function fetchStatus(socket: Socket, text: string): Promise<number> {
  return new Promise((resolve) => {
    let got = ''
    const onClose = (): void => resolve(0)
    const onData = (data: Buffer): void => {
      got += data.toString('latin1')
      const end = got.indexOf('\r\n\r\n')
      if (end === -1) return
      const length = /content-length: *(\d+)/i.exec(got.slice(0, end))?.[1]
      const whole = length === undefined ? got.endsWith('0\r\n\r\n') : got.length >= end + 4 + Number(length)
      if (!whole) return
      socket.off('data', onData).off('close', onClose)
      resolve(Number(got.slice(9, 12)))
    }
    socket.on('data', onData).on('close', onClose)
    socket.write(text)
  })
}

/** N streams at once, one after another on each connection; latency is from the engine's writing of a chunk to its arrival. */
export async function streamLoad(
  proxy: Proxy,
  { streams, rounds }: { readonly streams: Connections; readonly rounds: number },
): Promise<Sample> {
  const text = requestText(proxy, true)
  const latencies_ms: number[] = []
  const count = { done: 0, failed: 0, chunks: 0 }
  await Promise.all(
    openOrGiven(proxy, streams).map(async (opening) => {
      const socket = await opening
      for (let round = 0; round < rounds; round += 1) {
        const chunks = await new Promise<number>((resolve) => {
          let seen = 0
          let tail = ''
          const finish = (value: number): void => {
            socket.off('data', onData).off('close', onClose)
            resolve(value)
          }
          const onClose = (): void => finish(-1)
          const onData = (data: Buffer): void => {
            const part = data.toString('latin1')
            const now = process.hrtime.bigint()
            for (const match of part.matchAll(/"content":"(?:t(\d+))?/g)) {
              seen += 1
              if (match[1] && seen % 8 === 0) latencies_ms.push(Number(now - BigInt(match[1])) / 1e6)
            }
            tail = (tail + part).slice(-32)
            if (tail.includes('[DONE]') && tail.endsWith('0\r\n\r\n')) finish(tail.includes('error') ? -1 : seen)
          }
          socket.on('data', onData).on('close', onClose)
          socket.write(text)
        })
        if (chunks < 0) count.failed += 1
        else count.done += 1
        count.chunks += Math.max(0, chunks)
      }
      if (typeof streams === 'number') socket.destroy()
    }),
  )
  return { latencies_ms, ...count }
}
