// The deep health check generates text, and any client may request it: one check runs at a time, requests that arrive meanwhile get its
// result, and the result is reused for some seconds.

const STANDS_MS = 5000
/** A stuck engine may ignore its abort signal; clients that wait for the result get one all the same. */
const WITHIN_MS = 60_000

export class DeepHealth {
  readonly #check: () => Promise<string | undefined>
  readonly #within_ms: number
  #verdict: Promise<string | undefined> | undefined

  /** `check` answers what is wrong, or undefined. */
  constructor(check: () => Promise<string | undefined>, { within_ms = WITHIN_MS }: { readonly within_ms?: number } = {}) {
    this.#check = check
    this.#within_ms = within_ms
  }

  verdict(): Promise<string | undefined> {
    this.#verdict ??= this.#newVerdict()
    return this.#verdict
  }

  async #newVerdict(): Promise<string | undefined> {
    const { promise: late, resolve } = Promise.withResolvers<string>()
    const timer = setTimeout(() => resolve(`the known prompt was not answered within ${this.#within_ms} ms`), this.#within_ms)
    const reportFailure = (cause: unknown): string => {
      console.error(cause)
      return 'the engine failed while it answered the known prompt'
    }
    const problem = await Promise.race([this.#check().catch(reportFailure), late])
    clearTimeout(timer)
    setTimeout(() => (this.#verdict = undefined), STANDS_MS).unref()
    return problem
  }
}
