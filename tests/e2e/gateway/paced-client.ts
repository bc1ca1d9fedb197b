// Requests at fixed times, whether or not earlier ones are answered, over as many connections as that needs.

import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fetchStatus, openSocket } from './load.ts'

export type PacedResult = { readonly latencies_ms: readonly number[]; readonly statuses: ReadonlyMap<number, number> }

export class PacedClient {
  readonly #port: number
  readonly #text: string
  readonly #idle: Socket[] = []

  constructor(port: number, text: string) {
    this.#port = port
    this.#text = text
  }

  async runPaced({ perSecond, for_s }: { readonly perSecond: number; readonly for_s: number }): Promise<PacedResult> {
    const began = performance.now()
    const latencies_ms: number[] = []
    const statuses = new Map<number, number>()
    await Promise.all(
      Array.from({ length: Math.round(perSecond * for_s) }, async (_, index) => {
        await sleep(Math.max(0, began + (1000 * index) / perSecond - performance.now()))
        const socket = await this.#takeSocket()
        const at = performance.now()
        const status = await fetchStatus(socket, this.#text)
        if (status === 200) latencies_ms.push(performance.now() - at)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (!socket.destroyed) this.#idle.push(socket)
      }),
    )
    return { latencies_ms, statuses }
  }

  close(): void {
    for (const socket of this.#idle.splice(0)) socket.destroy()
  }

  async #takeSocket(): Promise<Socket> {
    for (let socket = this.#idle.pop(); socket; socket = this.#idle.pop()) if (!socket.destroyed) return socket
    return openSocket(this.#port)
  }
}
