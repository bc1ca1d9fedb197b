// Requests this gateway's share of tenants' limits from the control plane, about once a second. While the control plane is away the share stays
// until it expires, and then a part of it.

import { WHOLE_SHARE } from '@ironlaw/contracts'
import { QUOTA_GRANT, type QuotaResponse, type QuotaReport } from '@ironlaw/contracts/gateway-quota'
import type { GrantResponse } from '@ironlaw/policies/serving'
import type { OwnToken } from '../configuration/own-token.ts'

export type QuotaClientOptions = {
  readonly url: string
  readonly token: OwnToken
  readonly boot: string
  readonly every_ms: number
  /** What is in use and requested here. */
  readonly report: () => Pick<QuotaReport, 'applied' | 'demand'>
  readonly onGrant: (answer: GrantResponse) => void
  readonly onFault: (problem: string) => void
}

const TIMEOUT_MS = 5000
const UNDIVIDED_S = 60

export class QuotaClient {
  readonly #options: QuotaClientOptions
  readonly #started_at = Date.now() / 1000
  #timer: NodeJS.Timeout | undefined

  constructor(options: QuotaClientOptions) {
    this.#options = options
  }

  watch(): void {
    this.#timer = setTimeout(() => void this.#round(), this.#options.every_ms).unref()
  }

  /** Gives the share back; a failure is ignored. */
  async leave(): Promise<void> {
    this.stop()
    await this.#send({ leaving: true })
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** One report, and the grant that answers it. */
  async request(): Promise<void> {
    // From before it is sent: the control plane counts from when it answers.
    const requested_at = performance.now() / 1000
    const answer = await this.#send({ leaving: false })
    if (answer === undefined) return
    const { lasts_s, ...grant } = answer
    this.#options.onGrant({ grant, requested_at, lasts_s })
  }

  async #round(): Promise<void> {
    await this.request()
    if (this.#timer) this.watch()
  }

  async #send({ leaving }: Pick<QuotaReport, 'leaving'>): Promise<QuotaResponse | undefined> {
    const { url, boot, report, onFault } = this.#options
    const token = this.#options.token()
    const { applied, demand } = report()
    const body = JSON.stringify({ boot, started_at: this.#started_at, leaving, applied, demand } satisfies QuotaReport)
    try {
      const headers = { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) }
      const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) })
      if (answer.ok) return answer.status === 204 ? undefined : QUOTA_GRANT.parse(await answer.json())
      // A control plane of before quotas were divided: each gateway has the whole limits, as with a file.
      if (answer.status === 404) return { number: applied, share: WHOLE_SHARE, tenants: {}, fallback: WHOLE_SHARE, lasts_s: UNDIVIDED_S }
      onFault(`status ${answer.status}`)
    } catch (cause) {
      onFault(String(cause))
    }
    return undefined
  }
}
