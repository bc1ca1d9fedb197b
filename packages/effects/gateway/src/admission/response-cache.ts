// Answers to byte-identical requests, by tenant: no tenant gets what another paid for or requested. Bounded in bytes; the least recently
// used goes first.

import { hash } from 'node:crypto'

type Entry = { readonly body: Buffer; readonly at: number }

/** Approximate size of key, entry and buffer in addition to the answer. */
const ENTRY_BYTES = 500

export type CacheKey = { readonly tenant: string; readonly path: string; readonly body: Buffer }

export class ResponseCache {
  readonly #entries = new Map<string, Entry>()
  readonly #limit_bytes: number
  #bytes = 0

  constructor({ limit_bytes }: { readonly limit_bytes: number }) {
    this.#limit_bytes = limit_bytes
  }

  static keyOf({ tenant, path, body }: CacheKey): string {
    return `${tenant}\n${path}\n${hash('sha256', body)}`
  }

  get(key: string, notBefore: number): Buffer | undefined {
    const entry = this.#entries.get(key)
    if (!entry || entry.at < notBefore) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.body
  }

  put(key: string, body: Buffer, at: number): void {
    if (body.length > this.#limit_bytes / 8) return
    this.#drop(key)
    // A copy of its own: a slice of a pool would keep the whole of it (measured: 34 KB for an answer of 300 bytes).
    const copy = Buffer.allocUnsafeSlow(body.length)
    body.copy(copy)
    this.#entries.set(key, { body: copy, at })
    this.#bytes += ENTRY_BYTES + body.length
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#limit_bytes) return
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#bytes -= ENTRY_BYTES + entry.body.length
    this.#entries.delete(key)
  }
}
