// The snapshot in force, in the shape that answering a request needs: keys by hash, tenants with what they have used, pools with what runs.
// A new snapshot replaces the old in one step between two requests; what has not changed keeps its state.

import { hash } from 'node:crypto'
import {
  demandAfter,
  type DemandMark,
  demandShare,
  type FaultWindow,
  firstDemand,
  type GrantResponse,
  heldGrant,
  type HeldGrant,
  heldShare,
  newRetryBudget,
  newFaultWindow,
  type Quota,
  type QuotaUse,
  type RetryBudget,
  settleShare,
  sharedQuota,
  unusedQuota,
} from '@ironlaw/policies/serving'
import type { LiveCertificate } from '@ironlaw/certificates'
import { MOST_NAMED_TENANTS } from '@ironlaw/contracts'
import { CacheSalts, newSecret } from '../admission/cache-salt.ts'
import { Pool } from '../admission/pool.ts'
import type { KeyEntry, GatewaySnapshot, TenantEntry } from '@ironlaw/contracts/gateway-snapshot'

export type Tenant = {
  readonly name: string
  entry: TenantEntry
  /** The whole limits; what this gateway may use of them is `quotaOf`. */
  quota: Quota
  readonly use: QuotaUse
  demand: DemandMark
  readonly faults: FaultWindow
  readonly retries: RetryBudget
}

export type Caller = { readonly key: KeyEntry; readonly tenant: Tenant }

type DirectoryOptions = {
  /** A control plane divides the tenants' limits among its gateways. */
  readonly divided?: boolean
  readonly engineIdentity?: LiveCertificate | undefined
}

export class Directory {
  snapshot: GatewaySnapshot
  readonly pools = new Map<string, Pool>()
  readonly #tenants = new Map<string, Tenant>()
  #callers = new Map<string, Caller>()
  #removed: Pool[] = []
  readonly #ownSecret = newSecret()
  #salts: CacheSalts
  readonly #divided: boolean
  readonly #engineIdentity: LiveCertificate | undefined
  #grant: HeldGrant | undefined

  constructor(snapshot: GatewaySnapshot, now: number, { divided = false, engineIdentity }: DirectoryOptions = {}) {
    this.#divided = divided
    this.#engineIdentity = engineIdentity
    this.snapshot = snapshot
    this.#salts = new CacheSalts(snapshot.cache_secret ?? this.#ownSecret)
    this.apply(snapshot, now)
  }

  apply(snapshot: GatewaySnapshot, now: number): void {
    for (const [name, entry] of Object.entries(snapshot.pools)) {
      const pool = this.pools.get(name)
      if (pool) pool.apply(entry)
      else this.pools.set(name, new Pool(name, entry, this.#engineIdentity))
    }
    for (const [name, pool] of this.pools) {
      if (Object.hasOwn(snapshot.pools, name)) continue
      pool.apply({ ...pool.entry, replicas: [] })
      this.pools.delete(name)
      this.#removed.push(pool)
    }
    for (const [name, entry] of Object.entries(snapshot.tenants)) this.#applyTenant(name, entry, now)
    for (const name of this.#tenants.keys()) if (!Object.hasOwn(snapshot.tenants, name)) this.#tenants.delete(name)
    this.#callers = new Map(
      snapshot.keys.flatMap((key) => {
        const tenant = this.#tenants.get(key.tenant)
        return tenant ? [[key.sha256, { key, tenant }] as const] : []
      }),
    )
    this.snapshot = snapshot
    this.#salts = new CacheSalts(snapshot.cache_secret ?? this.#ownSecret)
    for (const pool of this.#removed) pool.dismiss()
  }

  /** The sender of a request. Tokens are looked up by hash, so the time of a lookup reveals nothing about similar keys. */
  findCaller(authorization: string | undefined, now: number): Caller | undefined {
    if (authorization === undefined || !/^bearer /i.test(authorization)) return undefined
    const found = this.#callers.get(hash('sha256', authorization.slice(7).trim()))
    return found && (found.key.expires_at ?? Number.POSITIVE_INFINITY) > now ? found : undefined
  }

  /** Whose prefixes an engine may reuse for this request. */
  cacheSalt({ key }: Caller, clientSalt: string | undefined): string {
    return this.#salts.of(key, clientSalt)
  }

  /** Pools with replicas that are left to finish what they have. */
  drainingPools(): readonly Pool[] {
    const all = [...this.pools.values(), ...this.#removed]
    for (const { leaving } of all) for (const replica of leaving) if (replica.load.running === 0) leaving.delete(replica)
    this.#removed = this.#removed.filter(({ leaving }) => leaving.size > 0)
    return all.filter(({ leaving }) => leaving.size > 0)
  }

  tenants(): Iterable<Tenant> {
    return this.#tenants.values()
  }

  /** What of a tenant's limits this gateway may use now. */
  quotaOf({ name, quota }: Pick<Tenant, 'name' | 'quota'>, now: number): Quota {
    return this.#divided ? sharedQuota(quota, heldShare(this.#grant, name, now)) : quota
  }

  /** Number of the grant in use; 0 before the first. */
  get grantNumber(): number {
    return this.#grant?.number ?? 0
  }

  applyGrant(answer: GrantResponse, now: number): void {
    for (const tenant of this.#tenants.values()) settleShare(tenant.use, this.quotaOf(tenant, now), now)
    this.#grant = heldGrant(this.#grant, answer)
  }

  /** Of tenants' limits, requested here lately; those with the most where there are too many. */
  demand(now: number): Record<string, number> {
    const all: [string, number][] = []
    for (const tenant of this.#tenants.values()) {
      const { name, use, quota } = tenant
      tenant.demand = demandAfter(tenant.demand, { use, quota, now })
      const share = demandShare(tenant.demand, use, quota)
      if (share > 0) all.push([name, share])
    }
    return Object.fromEntries(all.toSorted(([, one], [, other]) => other - one).slice(0, MOST_NAMED_TENANTS))
  }

  #applyTenant(name: string, entry: TenantEntry, now: number): void {
    const quota: Quota = {
      requestsPerMinute: entry.requests_per_minute,
      tokensPerMinute: entry.tokens_per_minute,
      concurrency: entry.concurrency,
      kvTokens: entry.kv_tokens,
    }
    const tenant = this.#tenants.get(name)
    if (!tenant) {
      const use = unusedQuota(this.quotaOf({ name, quota }, now), now)
      const demand = firstDemand(now)
      this.#tenants.set(name, { name, entry, quota, use, demand, faults: newFaultWindow(), retries: newRetryBudget() })
      return
    }
    tenant.entry = entry
    tenant.quota = quota
  }
}
