// What a request holds from its head on, before its body is read: one of its tenant's requests at once, and the bytes that arrive.

import { endRequest } from '@ironlaw/policies/serving'
import { type ApiError, apiError } from '@ironlaw/contracts'
import type { Tenant } from '../configuration/directory.ts'
import type { HeldBytes } from './held-bytes.ts'

export class Seat {
  readonly #tenant: Tenant
  readonly #held: HeldBytes
  #bytes = 0
  #left = false

  constructor(tenant: Tenant, held: HeldBytes) {
    this.#tenant = tenant
    this.#held = held
  }

  /** Counts bytes that are held for this request from now on, or says why they cannot be. */
  hold(bytes: number): ApiError | undefined {
    const { limits } = this.#held
    switch (this.#held.take(this.#tenant.name, bytes)) {
      case 'held':
        this.#bytes += bytes
        return undefined
      case 'tenant-full':
        return apiError(
          'rate_limit_exceeded',
          `requests and answers of tenant ${this.#tenant.name} hold ${limits.tenant_bytes} bytes, the most that they may; send fewer or smaller ones at once`,
          { retryAfter_s: 1 },
        )
      case 'all-full':
        return apiError('server_is_overloaded', 'the gateway holds as many bytes of requests and answers as it may', { retryAfter_s: 1 })
    }
  }

  /** Returns bytes that are no longer in memory. */
  giveBack(bytes: number): void {
    this.#held.give(this.#tenant.name, bytes)
    this.#bytes -= bytes
  }

  /** The request is over: its tenant may have another one. */
  leave(): void {
    if (this.#left) return
    this.#left = true
    endRequest(this.#tenant.use)
  }

  /** Nothing of it is in memory any more. */
  release(): void {
    this.leave()
    this.giveBack(this.#bytes)
  }
}
