// What inputs have reached: for each counter the powers of two of how often it was counted, as AFL does (its docs/technical_details.txt),
// so that one more turn of a loop is news at first and soon no more. Behind the branches lie counters of states that targets mark.

const MARKS = 4096

export class Coverage {
  readonly counters: Uint32Array
  readonly branches: number
  readonly #seen: Uint8Array

  constructor(counters: Uint32Array, branches: number) {
    this.counters = counters
    this.branches = branches
    this.#seen = new Uint8Array(counters.length)
  }

  readonly mark = (state: string): void => {
    let hash = 0x811c9dc5
    for (let index = 0; index < state.length; index += 1) hash = Math.imul(hash ^ state.charCodeAt(index), 0x01000193)
    const place = this.branches + ((hash >>> 0) % MARKS)
    this.counters[place] = 1
  }

  reset(): void {
    this.counters.fill(0)
  }

  /** Places at which the last execution did what none before it did. */
  newMarks(): readonly number[] {
    const found: number[] = []
    const { counters } = this
    for (let place = 0; place < counters.length; place += 1) {
      const times = counters[place] ?? 0
      if (times !== 0 && (bucket(times) & ~(this.#seen[place] ?? 0)) !== 0) found.push(place)
    }
    return found
  }

  /** Remembers the last execution. */
  keep(): void {
    for (let place = 0; place < this.counters.length; place += 1) {
      const times = this.counters[place] ?? 0
      if (times !== 0) this.#seen[place] = (this.#seen[place] ?? 0) | bucket(times)
    }
  }

  /** Whether the last execution counted these places as often, by powers of two, as an earlier one did. */
  matches(expected: ReadonlyMap<number, number>): boolean {
    for (const [place, times] of expected) if (bucket(this.counters[place] ?? 0) !== times) return false
    return true
  }

  signature(places: readonly number[]): ReadonlyMap<number, number> {
    return new Map(places.map((place) => [place, bucket(this.counters[place] ?? 0)]))
  }

  get found(): { readonly branches: number; readonly states: number } {
    const reachedCount = (from: number, to: number): number =>
      this.#seen.subarray(from, to).reduce((sum, one) => sum + (one === 0 ? 0 : 1), 0)
    return { branches: reachedCount(0, this.branches), states: reachedCount(this.branches, this.#seen.length) }
  }
}

export const countersFor = (branches: number): number => branches + MARKS

/** 1, 2, 3, 4-7, 8-15, 16-31, 32-127, 128 and more. */
function bucket(times: number): number {
  if (times <= 3) return times === 0 ? 0 : 1 << (times - 1)
  if (times < 8) return 8
  if (times < 16) return 16
  if (times < 32) return 32
  return times < 128 ? 64 : 128
}
