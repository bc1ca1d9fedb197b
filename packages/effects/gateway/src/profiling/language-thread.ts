// The thread that finds languages, started with the first text: a gateway without a sampled answer has none of its 90 MB. Texts go to it in
// batches, because waking a thread takes longer than finding a language.

import { Worker } from 'node:worker_threads'
import type { LanguageRequest, LanguageResponse } from './language-worker.ts'

const PROGRAM = new URL('language-worker.ts', import.meta.url)
const BATCH = 32
/** A text waits no longer for others. */
const BATCH_MS = 1000
/** Batches under way while the thread loads, or is behind; further texts have no language. */
const MOST_BATCHES = 4
const HEAP = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 }

type Search = { readonly text: string; readonly found: (word: string) => void }

export class LanguageThread {
  readonly #onFault: (cause: unknown) => void
  /** In the order of their answers. */
  readonly #underWay: (readonly Search[])[] = []
  #next: Search[] = []
  #timer: NodeJS.Timeout | undefined
  #worker: Worker | undefined
  #hasEnded = false

  constructor(onFault: (cause: unknown) => void) {
    this.#onFault = onFault
  }

  /** `found` takes the code of a language, `other` or `none`. */
  find(text: string, found: Search['found']): void {
    if (this.#hasEnded || this.#underWay.length >= MOST_BATCHES) return
    this.#next.push({ text, found })
    if (this.#next.length >= BATCH) this.#send()
    else this.#timer ??= setTimeout(() => this.#send(), BATCH_MS).unref()
  }

  async close(): Promise<void> {
    this.#end()
    await this.#worker?.terminate()
  }

  #send(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const batch = this.#next
    this.#next = []
    this.#underWay.push(batch)
    this.#worker ??= this.#start()
    this.#worker.postMessage(batch.map(({ text }) => text) satisfies LanguageRequest, [])
  }

  #start(): Worker {
    const worker = new Worker(PROGRAM, { resourceLimits: HEAP })
    worker.unref()
    worker.on('message', (words: LanguageResponse) => {
      for (const [index, { found }] of (this.#underWay.shift() ?? []).entries()) found(words[index] ?? 'none')
    })
    // A thread that failed once would fail again: from then on languages are not counted.
    worker.on('error', (cause) => {
      this.#end()
      this.#onFault(cause)
    })
    return worker
  }

  #end(): void {
    this.#hasEnded = true
    clearTimeout(this.#timer)
    this.#next = []
    this.#underWay.length = 0
  }
}
