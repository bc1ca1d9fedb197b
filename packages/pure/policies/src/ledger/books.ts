// Time handed out to causes, in whole microseconds: a cursor that only moves forward from submit to end, so that clocks that disagree
// cannot book a moment twice or leave one out. Sums of whole numbers below 2^53 (285 years) have no rounding.

import { TIME_CAUSES, type TimeCause } from '@ironlaw/contracts/ledger'

export type CauseWeight = readonly [cause: TimeCause, weight: number]

/** Time in which the run had, or waited for, the same number of accelerators. */
export type Book = { readonly accelerators: number; readonly ticks: Map<TimeCause, number> }

export const TICKS_PER_S = 1e6

export const ticks = (time_s: number): number => Math.round(time_s * TICKS_PER_S)

export class Books {
  readonly #books = new Map<number, Book>()
  #book: Book
  #cursor: number
  readonly #end: number

  constructor(span: { readonly from: number; readonly until: number; readonly accelerators: number }) {
    this.#cursor = ticks(span.from)
    this.#end = ticks(span.until)
    this.#book = this.switchTo(span.accelerators)
  }

  /** Number of accelerators that the following figures cover. */
  switchTo(accelerators: number): Book {
    const book = this.#books.get(accelerators) ?? { accelerators, ticks: new Map(TIME_CAUSES.map((cause) => [cause, 0])) }
    this.#books.set(accelerators, book)
    return (this.#book = book)
  }

  get all(): readonly Book[] {
    return [...this.#books.values()]
  }

  /** Books the time from the cursor to a moment, divided in proportion; what is past already is booked. */
  attributeUntil(at: number, ...parts: readonly [CauseWeight, ...CauseWeight[]]): void {
    const span = Math.min(ticks(at), this.#end) - this.#cursor
    if (span <= 0) return
    const whole = parts.reduce((sum, [, weight]) => sum + weight, 0)
    let weights = 0
    let booked = 0
    for (const [cause, weight] of parts) {
      weights += weight
      const upTo = whole > 0 ? Math.round((span * weights) / whole) : 0
      this.#add(cause, upTo - booked)
      booked = upTo
    }
    // Where all weights are nothing; otherwise the last part has reached the end.
    this.#add('other', span - booked)
    this.#cursor += span
  }

  #add(cause: TimeCause, span: number): void {
    this.#book.ticks.set(cause, (this.#book.ticks.get(cause) ?? 0) + span)
  }
}
