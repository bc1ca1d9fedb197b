// Sends what was counted to the control plane, about every ten seconds and once when the gateway leaves. What is not acknowledged is sent again
// with the totals of then.

import type { OwnToken } from '../configuration/own-token.ts'
import type { ProfileWindows } from './profile-windows.ts'

export type ProfileClientOptions = {
  readonly url: string
  readonly token: OwnToken
  readonly boot: string
  readonly windows: ProfileWindows
  readonly onFault: (problem: string) => void
  readonly every_ms?: number
  /** After a refusal that the next try would meet again. */
  readonly refused_ms?: number
  readonly draw?: () => number
}

const EVERY_MS = 10_000
/** An older control plane may be upgraded meanwhile. */
const REFUSED_MS = 600_000
/** A fifth sooner or later, so that gateways that started together do not report together. */
const JITTER = 0.2
const TIMEOUT_MS = 5000
/** The messages of one round; the rest goes with the next one. A gateway that leaves sends all. */
const ROUND_MESSAGES = 8

/** `refused`: for good, as far as this process can tell. */
type Delivery = 'acknowledged' | 'lost' | 'refused'

export class ProfileClient {
  readonly #options: ProfileClientOptions
  #timer: NodeJS.Timeout | undefined
  #round: Promise<Delivery> | undefined

  constructor(options: ProfileClientOptions) {
    this.#options = options
  }

  watch(): void {
    this.#schedule('acknowledged')
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** The last report; a failure is ignored, since what it said cannot be sent later. */
  async leave(): Promise<void> {
    this.stop()
    await this.#round
    await this.report(Number.POSITIVE_INFINITY)
  }

  /** Everything that changed, in as many messages as it takes up to the most. */
  async report(mostMessages = ROUND_MESSAGES): Promise<Delivery> {
    for (let sent = 0; sent < mostMessages; sent += 1) {
      const message = this.#options.windows.message()
      if (!message) break
      const delivery = await this.#send(message.windows)
      if (delivery !== 'acknowledged') return delivery
      message.acknowledge()
    }
    return 'acknowledged'
  }

  #schedule(last: Delivery): void {
    const { every_ms = EVERY_MS, refused_ms = REFUSED_MS, draw = Math.random } = this.#options
    const wait_ms = (last === 'refused' ? refused_ms : every_ms) * (1 + JITTER * (2 * draw() - 1))
    this.#timer = setTimeout(() => void this.#reportAndGoOn(), wait_ms).unref()
  }

  async #reportAndGoOn(): Promise<void> {
    this.#round = this.report()
    const last = await this.#round
    if (this.#timer) this.#schedule(last)
  }

  async #send(windows: string): Promise<Delivery> {
    const { url, boot, token: ownToken, onFault } = this.#options
    const token = ownToken()
    const headers = { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) }
    const body = `{"boot":${JSON.stringify(boot)},"windows":${windows}}`
    try {
      const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) })
      await answer.body?.cancel()
      if (answer.ok) return 'acknowledged'
      if (answer.status !== 404) onFault(`status ${answer.status}`)
      return isRefusal(answer.status) ? 'refused' : 'lost'
    } catch (cause) {
      onFault(String(cause))
      return 'lost'
    }
  }
}

/** A control plane of before profiles, a token that may not report, a body that it does not take: not what passes in seconds. */
const isRefusal = (status: number): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429
