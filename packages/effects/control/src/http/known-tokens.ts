// Recently valid tokens, by hash. They grant no access: every request still queries the database, so that a revoked token is refused at once.

import { hash } from 'node:crypto'

const TOKENS_KEPT = 20_000

export class KnownTokens {
  readonly #hashes = new Set<string>()

  has(authorization: string): boolean {
    return this.#hashes.has(hash('sha256', authorization))
  }

  add(authorization: string): void {
    const name = hash('sha256', authorization)
    this.#hashes.delete(name)
    this.#hashes.add(name)
    const [oldest] = this.#hashes
    if (this.#hashes.size > TOKENS_KEPT && oldest !== undefined) this.#hashes.delete(oldest)
  }

  delete(authorization: string): void {
    this.#hashes.delete(hash('sha256', authorization))
  }
}
