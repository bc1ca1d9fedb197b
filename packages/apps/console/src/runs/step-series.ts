// The steps of a run from first to newest, read page by page: once from the beginning, then only new ones.
// In long runs, every second step is dropped whenever there are too many to draw.

import type { StepView } from '@ironlaw/contracts/api'
import { type LossSpike, type LossWatch, watchLoss } from '@ironlaw/policies/run'
import type { ApiResult } from './api.ts'

type StepPage = { readonly items: readonly StepView[]; readonly next: string | null }

/** Reads a page of steps after a cursor, or from the first. */
export type ReadSteps = (after: string | undefined) => Promise<ApiResult<StepPage>>

/** A chart is a thousand points wide; from twice that on, every turn of a line shows. */
const MOST = 6000

export class StepSeries {
  readonly #readPage: ReadSteps
  #rows: StepView[] = []
  #cursor: string | undefined
  #every = 1
  #seen = 0
  /** Sees every step, also those that are dropped. */
  readonly #loss: LossWatch = watchLoss()
  #reading: Promise<boolean> | undefined

  constructor(readPage: ReadSteps) {
    this.#readPage = readPage
  }

  get rows(): readonly StepView[] {
    return this.#rows
  }

  get spikes(): readonly LossSpike[] {
    return this.#loss.spikes()
  }

  /** Reads up to the newest step; false if the API refused. Concurrent callers share one read. */
  readNewSteps(): Promise<boolean> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #read(): Promise<boolean> {
    for (;;) {
      const answer = await this.#readPage(this.#cursor)
      if (!answer.ok) return false
      for (const row of answer.value.items) this.#add(row)
      this.#cursor = answer.value.items.at(-1)?.cursor ?? this.#cursor
      if (answer.value.next === null) return true
    }
  }

  #add(row: StepView): void {
    this.#loss.add(row)
    if (this.#seen % this.#every === 0) this.#rows.push(row)
    this.#seen += 1
    if (this.#rows.length <= MOST) return
    this.#rows = this.#rows.filter((_, index) => index % 2 === 0)
    this.#every *= 2
  }
}
