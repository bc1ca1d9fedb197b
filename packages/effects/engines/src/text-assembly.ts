// From tokens to text that may be shown: a character whose bytes came in several tokens is held until it is whole, and what may be the
// beginning of a stop string until it is known not to be.

/** Bytes of the longest UTF-8 character: more tokens than this never make one. */
const LONGEST_CHARACTER = 4
const BROKEN = '\uFFFD'

export class TextAssembly {
  readonly #textOf: (tokens: readonly number[], before: readonly number[]) => string
  readonly #stops: readonly string[]
  readonly #pending: number[] = []
  #before: readonly number[] = []
  #held = ''
  stopped = false

  constructor(textOf: (tokens: readonly number[], before: readonly number[]) => string, stops: readonly string[]) {
    this.#textOf = textOf
    this.#stops = stops.filter((stop) => stop !== '')
  }

  /** The text that became sure with this token; empty while it is not. */
  add(token: number): string {
    this.#pending.push(token)
    const text = this.#textOf(this.#pending, this.#before)
    if (!text.endsWith(BROKEN)) return this.#textBeforeStop(this.#takeText(this.#pending.length, text))
    if (this.#pending.length < LONGEST_CHARACTER) return ''
    return this.#textBeforeStop(this.#takeText(this.#wholeTokens(text)))
  }

  #takeText(tokens: number, known?: string): string {
    const taken = this.#pending.splice(0, tokens)
    const text = known ?? this.#textOf(taken, this.#before)
    this.#before = taken
    return text
  }

  /** As many tokens as can be shown without cutting a character that has only begun. */
  #wholeTokens(text: string): number {
    for (let count = this.#pending.length - 1; count > 0; count -= 1) {
      const [first, rest] = [this.#pending.slice(0, count), this.#pending.slice(count)]
      if (this.#textOf(first, this.#before) + this.#textOf(rest, first) === text) return count
    }
    return this.#pending.length
  }

  /** What was held when nothing follows. */
  end(): string {
    if (this.stopped) return ''
    const text = this.#pending.length > 0 ? this.#takeText(this.#pending.length) : ''
    const shown = this.#textBeforeStop(text)
    const rest = this.stopped ? '' : this.#held
    this.#held = ''
    return shown + rest
  }

  #textBeforeStop(text: string): string {
    if (this.#stops.length === 0) return text
    const all = this.#held + text
    const at = Math.min(...this.#stops.map((stop) => all.indexOf(stop)).map((index) => (index === -1 ? Infinity : index)))
    if (at !== Infinity) {
      this.stopped = true
      this.#held = ''
      return all.slice(0, at)
    }
    const kept = Math.max(...this.#stops.map((stop) => stopPrefixLength(all, stop)))
    this.#held = all.slice(all.length - kept)
    return all.slice(0, all.length - kept)
  }
}

/** How many characters at the end of the text are a beginning of the stop string. */
function stopPrefixLength(text: string, stop: string): number {
  for (let length = Math.min(stop.length - 1, text.length); length > 0; length -= 1) if (text.endsWith(stop.slice(0, length))) return length
  return 0
}
