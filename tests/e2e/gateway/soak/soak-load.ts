// Requests at a steady rate over both gateways, whatever became of earlier ones, each with one outcome.

import type { Socket } from 'node:net'
import { openSocket } from '../load.ts'

export type Outcome = 'answered' | 'cut' | 'refused' | 'failed-over' | 'lost'

export type Target = { readonly port: number; readonly isUp: () => boolean }

const TICK_MS = 10
const GIVE_UP_MS = 60_000
/** A pause of the machine opens more connections; those are not kept, or they would look like growth of the gateway. */
const IDLE_SOCKETS = 64

export class SoakLoad {
  readonly counts: Record<Outcome, number> = { answered: 0, cut: 0, refused: 0, 'failed-over': 0, lost: 0 }
  readonly losses: string[] = []
  readonly #targets: readonly Target[]
  readonly #idle = new Map<Target, Socket[]>()
  readonly #requests: readonly string[]
  readonly #timer: NodeJS.Timeout
  #due = 0
  #sent = 0
  #open = 0

  constructor(targets: readonly Target[], { requests, perSecond }: { readonly requests: readonly string[]; readonly perSecond: number }) {
    this.#targets = targets
    this.#requests = requests
    this.#timer = setInterval(() => {
      this.#due += (perSecond * TICK_MS) / 1000
      for (; this.#due >= 1; this.#due -= 1) void this.#ask()
    }, TICK_MS)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    while (this.#open > 0) await new Promise((done) => setTimeout(done, 50))
    for (const sockets of this.#idle.values()) for (const socket of sockets) socket.destroy()
  }

  async #ask(): Promise<void> {
    const number = (this.#sent += 1)
    const up = this.#targets.filter(({ isUp }) => isUp())
    const target = up[number % up.length]
    if (!target) return
    this.#open += 1
    const { outcome, detail } = await this.#exchange(target, this.#requests[number % this.#requests.length] ?? '')
    this.#open -= 1
    this.counts[outcome] += 1
    if (outcome === 'lost' && this.losses.length < 20) this.losses.push(detail)
  }

  #putBack(target: Target, socket: Socket, got: string): void {
    const idle = this.#idle.get(target) ?? []
    if (idle.length >= IDLE_SOCKETS || /^connection: close/im.test(got)) socket.destroy()
    else if (!socket.destroyed) this.#idle.set(target, [...idle, socket])
  }

  async #exchange(target: Target, text: string): Promise<{ readonly outcome: Outcome; readonly detail: string }> {
    const fresh = (): Promise<Socket | undefined> => openSocket(target.port).catch(() => undefined)
    const used = this.#idle.get(target)?.pop()
    let socket = used ?? (await fresh())
    let got = socket ? await exchangeOn(socket, text) : ''
    // A connection that had been idle may close just as it is written to; every client opens another one then.
    if (got === '' && used) {
      socket = await fresh()
      got = socket ? await exchangeOn(socket, text) : ''
    }
    // A gateway that is being restarted closes connections between two requests; a client asks the other one.
    if (got === '')
      return (await becomesTrue(() => !target.isUp()))
        ? { outcome: 'failed-over', detail: '' }
        : { outcome: 'lost', detail: 'closed without a byte' }
    const status = Number(got.slice(9, 12))
    if (socket) this.#putBack(target, socket, got)
    if (status === 200) return { outcome: isComplete(got) && !got.includes('"finish_reason":"error"') ? 'answered' : 'cut', detail: '' }
    const mayRetry = status >= 429 && !/^x-should-retry: false/im.test(got)
    return { outcome: mayRetry ? 'refused' : 'lost', detail: got.slice(0, 400) }
  }
}

function isComplete(got: string): boolean {
  const end = got.indexOf('\r\n\r\n')
  const length = /^content-length: *(\d+)/im.exec(got.slice(0, end))?.[1]
  return length === undefined ? got.endsWith('0\r\n\r\n') : got.length >= end + 4 + Number(length)
}

/** What came until the answer was whole or the connection closed. */
function exchangeOn(socket: Socket, text: string): Promise<string> {
  return new Promise((resolve) => {
    let got = ''
    const finish = (): void => {
      clearTimeout(patience)
      socket.off('data', onData).off('close', finish)
      resolve(got)
    }
    const patience = setTimeout(() => socket.destroy(), GIVE_UP_MS)
    const onData = (data: Buffer): void => {
      got += data.toString('latin1')
      if (got.includes('\r\n\r\n') && isComplete(got)) finish()
    }
    socket.on('data', onData).on('close', finish)
    if (socket.destroyed) finish()
    else socket.write(text)
  })
}

async function becomesTrue(holds: () => boolean): Promise<boolean> {
  for (let look = 0; look < 40 && !holds(); look += 1) await new Promise((done) => setTimeout(done, 50))
  return holds()
}
