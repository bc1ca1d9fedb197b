// One more thread of a search, in Node. It answers in the order in which it is asked.

import { Worker } from 'node:worker_threads'
import type { Search, SearchMessage, Setup, ShardResult } from '@ironlaw/planner'

type Asked = { readonly resolve: (result: ShardResult) => void; readonly reject: (cause: Error) => void }

export class SearchThread {
  readonly #worker = new Worker(new URL('./search-thread-main.ts', import.meta.url))
  readonly #asked: Asked[] = []
  #setup: Setup | undefined

  constructor(setup: Setup) {
    this.#setup = setup
    this.#worker.on('message', (result: ShardResult) => this.#asked.shift()?.resolve(result))
    this.#worker.on('error', (cause: Error) => {
      for (const { reject } of this.#asked.splice(0)) reject(cause)
    })
  }

  searched(search: Search): Promise<ShardResult> {
    const message: SearchMessage = { search, ...(this.#setup && { setup: this.#setup }) }
    this.#setup = undefined
    return new Promise((resolve, reject) => {
      this.#asked.push({ resolve, reject })
      this.#worker.postMessage(message, [])
    })
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}
