// A database that loses its last transactions although it had confirmed them, as one does whose standby takes over before it had them all.
// From `begin` on everything runs inside one outer transaction, which is then rolled back or kept.

import type { Connection } from '../../packages/effects/control/test/simulated-database.ts'

const ONE = 'of_history'

export class FailoverConnection implements Connection {
  readonly #inner: Connection
  #isOpen = false
  #isNested = false

  constructor(inner: Connection) {
    this.#inner = inner
  }

  /** What is committed from now on may be lost. */
  async begin(): Promise<void> {
    if (this.#isOpen) return
    await this.#inner.query('begin', [])
    this.#isOpen = true
  }

  /** Whether there was something to lose. */
  async lose(): Promise<boolean> {
    return this.#end('rollback')
  }

  async keep(): Promise<boolean> {
    return this.#end('commit')
  }

  query: Connection['query'] = async (text, values) => {
    if (!this.#isOpen) return this.#inner.query(text, values)
    switch (text) {
      case 'begin':
        this.#isNested = true
        return this.#inner.query(`savepoint ${ONE}`, [])
      case 'commit':
        this.#isNested = false
        return this.#inner.query(`release savepoint ${ONE}`, [])
      case 'rollback':
        this.#isNested = false
        return this.#inner.query(`rollback to savepoint ${ONE}`, [])
    }
    return this.#isNested ? this.#inner.query(text, values) : this.#queryInSavepoint(text, values)
  }

  /** A statement that fails by itself must not end the outer transaction. */
  async #queryInSavepoint<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    await this.#inner.query(`savepoint ${ONE}`, [])
    try {
      return await this.#inner.query<Row>(text, values)
    } catch (cause) {
      await this.#inner.query(`rollback to savepoint ${ONE}`, [])
      throw cause
    } finally {
      await this.#inner.query(`release savepoint ${ONE}`, [])
    }
  }

  async #end(how: 'rollback' | 'commit'): Promise<boolean> {
    if (!this.#isOpen) return false
    this.#isOpen = false
    await this.#inner.query(how, [])
    return true
  }
}
