// A search thread in Node. It answers requests in order; a thread that died answers none.

import { Worker } from 'node:worker_threads'
import type { SearchTask, SearchMessage, Setup, ShardResult } from '@ironlaw/planner'

type ResultCallback = (result: ShardResult | undefined) => void

export class SearchThread {
  readonly #worker: Worker
  readonly #waiting: ResultCallback[] = []
  #setup: Setup | undefined
  #dead = false

  constructor(setup: Setup, program = new URL('./search-thread-main.ts', import.meta.url)) {
    this.#setup = setup
    this.#worker = new Worker(program)
    this.#worker.on('message', (result: ShardResult) => this.#waiting.shift()?.(result))
    this.#worker.on('error', () => this.#die())
    this.#worker.on('exit', () => this.#die())
  }

  /** Undefined if the thread has died. */
  search(search: SearchTask): Promise<ShardResult | undefined> {
    const message: SearchMessage = { search, ...(this.#setup && { setup: this.#setup }) }
    this.#setup = undefined
    return new Promise((resolve) => {
      if (this.#dead) return resolve(undefined)
      this.#waiting.push(resolve)
      this.#worker.postMessage(message, [])
    })
  }

  #die(): void {
    this.#dead = true
    for (const answer of this.#waiting.splice(0)) answer(undefined)
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}
