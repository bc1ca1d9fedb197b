// Bytes that requests make the gateway hold: bodies until their request is over, answers in one piece until the client has read them. Bounded for
// all tenants together, so that memory is, and for each tenant, so that one cannot use up what is there for all.

export type HeldLimits = { readonly total_bytes: number; readonly tenant_bytes: number }

/** Which limit does not allow it. */
export type HeldVerdict = 'held' | 'tenant-full' | 'all-full'

export class HeldBytes {
  readonly limits: HeldLimits
  readonly #byTenant = new Map<string, number>()
  #total = 0

  constructor(limits: HeldLimits) {
    this.limits = limits
  }

  get total(): number {
    return this.#total
  }

  take(tenant: string, bytes: number): HeldVerdict {
    const own = (this.#byTenant.get(tenant) ?? 0) + bytes
    if (own > this.limits.tenant_bytes) return 'tenant-full'
    if (this.#total + bytes > this.limits.total_bytes) return 'all-full'
    this.#byTenant.set(tenant, own)
    this.#total += bytes
    return 'held'
  }

  give(tenant: string, bytes: number): void {
    const own = (this.#byTenant.get(tenant) ?? 0) - bytes
    if (own > 0) this.#byTenant.set(tenant, own)
    else this.#byTenant.delete(tenant)
    this.#total -= bytes
  }
}
