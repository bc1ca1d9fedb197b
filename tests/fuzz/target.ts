// A parser that faces the outside, as the fuzzer calls it. A target returns where the parser takes or refuses an input in its declared
// way; whatever else it throws is a fault.

export type Grammar =
  /** A JSON document. */
  | 'json'
  /** Lines, with JSON inside them where there is any. */
  | 'text'
  /** Eight bytes with the length of a JSON header, the header, data. */
  | 'headed-json'

/** Marks a state that branches do not show, such as which rule of a schema refused an input. */
export type Mark = (state: string) => void

export type Target = {
  readonly grammar: Grammar
  /** Inputs to begin with, in addition to those in `corpus`. */
  readonly seeds: readonly (string | Uint8Array)[]
  /** Text that is not in the parser's own source. */
  readonly words?: readonly string[]
  readonly run: (input: Buffer, mark: Mark) => void | Promise<void>
  /** Instead of `TIME_LIMIT_MS`. */
  readonly limit_ms?: number
}

/** Inputs are no longer than this, and each is parsed within the time: what is slower grows faster than its input. */
export const MOST_BYTES = 65_536
export const TIME_LIMIT_MS = 250
