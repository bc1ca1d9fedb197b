// Between an engine that makes tokens and a client that takes them. The engine's loop must ask for its next token at once, or it misses the
// batch that the other sequences are in (measured: at 64 sequences half of the throughput); so parts are handed over after the event loop's
// turn, while the next batch is computed. Bounded: a full queue holds the engine back.

const CAPACITY = 64

export class PartQueue<Part> implements AsyncIterable<Part> {
  #parts: Part[] = []
  #over = false
  #failure: unknown
  #wakeReader: (() => void) | undefined
  #wakeWriter: (() => void) | undefined
  #scheduled = false

  get full(): boolean {
    return this.#parts.length >= CAPACITY
  }

  push(part: Part): void {
    this.#parts.push(part)
    this.#schedule()
  }

  end(): void {
    this.#over = true
    this.#schedule()
  }

  /** What was pushed before is still read. */
  fail(cause: unknown): void {
    this.#failure = cause
    this.end()
  }

  /** Until the reader has taken what is there, or is gone. */
  async waitForRoom(): Promise<void> {
    if (!this.full || this.#over) return
    await new Promise<void>((resolve) => (this.#wakeWriter = resolve))
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Part> {
    try {
      while (true) {
        const parts = this.#parts
        this.#parts = []
        this.#wakeWriter?.()
        this.#wakeWriter = undefined
        yield* parts
        if (this.#parts.length > 0) continue
        if (this.#failure !== undefined) throw this.#failure
        if (this.#over) return
        await new Promise<void>((resolve) => (this.#wakeReader = resolve))
      }
    } finally {
      this.#over = true
      this.#wakeWriter?.()
    }
  }

  #schedule(): void {
    if (this.#scheduled || !this.#wakeReader) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      const wake = this.#wakeReader
      this.#wakeReader = undefined
      wake?.()
    })
  }
}
