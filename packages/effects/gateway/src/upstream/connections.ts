// The connections to one replica: the last used first, so that the others can age out.

import { type Address, Connection } from './connection.ts'

/** uvicorn, which vLLM and SGLang run on, closes an idle connection after 5 s. */
const IDLE_MS = 4000

export class Connections {
  readonly #address: Address
  readonly #idle: Connection[] = []
  #closed = false

  constructor(address: Address) {
    this.#address = address
  }

  take(): Connection {
    for (let connection = this.#idle.pop(); connection; connection = this.#idle.pop()) if (connection.usable) return connection
    return this.fresh()
  }

  fresh(): Connection {
    return new Connection(this.#address, (connection) => {
      if (this.#closed) connection.destroy()
      else {
        connection.idleSince = performance.now()
        this.#idle.push(connection)
      }
    })
  }

  closeIdle(now_ms: number): void {
    const old = this.#idle.findIndex((connection) => now_ms - connection.idleSince < IDLE_MS)
    for (const connection of this.#idle.splice(0, old === -1 ? this.#idle.length : old)) connection.destroy()
  }

  close(): void {
    this.#closed = true
    for (const connection of this.#idle.splice(0)) connection.destroy()
  }
}
