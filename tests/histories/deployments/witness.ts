// What must hold while a history goes on, seen where it happens: at gateways that send requests, and where jobs are cancelled. What takes
// time to reach everybody must hold once nothing has gone wrong for a while.

import type { Replica } from '@ironlaw/contracts'
import type { GatewaySnapshot } from '@ironlaw/contracts/gateway-snapshot'
import type { Timeline } from '../timeline.ts'
import type { Engines } from './engines.ts'
import { type GatewayProcess, REVOCABLE } from './gateway-process.ts'

/** A gateway that got an answer so lately is in contact. */
const CONTACT_S = 5
/** Without faults a decision is published and applied everywhere within this. */
export const SPREAD_S = 8

/** What the database says, as of the last look. */
export type Facts = {
  /** By revision, since when it counts as rolled back. */
  readonly rolledBack: Map<number, number>
  /** By revision, the program that it names. */
  readonly builds: Map<number, number>
  revokedAt: number | undefined
  /** By replica that is kept for the way back, since when. */
  kept: ReadonlyMap<string, number>
}

export const NO_FACTS = (): Facts => ({ rolledBack: new Map(), builds: new Map(), revokedAt: undefined, kept: new Map() })

type RoutedReplica = { readonly id: string; readonly url: string; readonly pool: string }

type Parts = { readonly timeline: Timeline; readonly engines: Engines; readonly calmSince: () => number }

export class Witness {
  readonly violations = new Set<string>()
  facts: Facts = NO_FACTS()
  consumed_nusd = 0
  requests = 0
  readonly gateways = new Set<GatewayProcess>()
  readonly #parts: Parts
  readonly #stopped = new Map<string, number>()
  /** Requests to replicas that were kept at the last look: it may have been rolled back into service since. The next look tells. */
  readonly #suspected = new Map<string, string>()
  readonly #contactAt = new Map<string, number>()
  readonly #versions = new Map<string, { readonly epoch: string; readonly version: number }>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  noteSync(gateway: GatewayProcess, sentAt: number): void {
    this.#contactAt.set(gateway.process.name, sentAt)
  }

  checkApplied(gateway: GatewayProcess, snapshot: GatewaySnapshot): void {
    this.gateways.add(gateway)
    const { name } = gateway.process
    const before = this.#versions.get(name)
    const now = { epoch: snapshot.epoch ?? '', version: snapshot.version }
    this.#versions.set(name, now)
    if (before && before.epoch === now.epoch && now.version < before.version)
      this.#report(`${gateway.name} applied version ${now.version} after ${before.version}`)
  }

  checkAdmitted(gateway: GatewayProcess, key: string): void {
    const { revokedAt } = this.facts
    if (key === REVOCABLE && revokedAt !== undefined && this.#calm_s(revokedAt) > SPREAD_S)
      this.#report(`${gateway.name} admitted a key that was revoked ${this.#calm_s(revokedAt).toFixed(1)} s before`)
  }

  checkRouted(gateway: GatewayProcess, { id, url, pool }: RoutedReplica): void {
    const { timeline, engines } = this.#parts
    this.requests += 1
    const engine = engines.engines.get(id)
    if (!engine || engine.readyAt === undefined || timeline.now < engine.readyAt)
      this.#report(`${gateway.name} sent a request to ${id}, which was never ready`)
    else if (engine.url !== url) this.#report(`${gateway.name} sent a request for ${id} to ${url}, it is at ${engine.url}`)
    if (this.#stopped.has(id) && this.#isInContact(gateway))
      this.#report(`${gateway.name} is in contact and sent a request to ${id}, which was stopped`)
    const keptAt = this.facts.kept.get(id)
    if (keptAt !== undefined && this.#calm_s(keptAt) > SPREAD_S)
      this.#suspected.set(id, `${gateway.name} sent a request to ${id}, kept without requests for ${this.#calm_s(keptAt).toFixed(1)} s`)
    const revision = Number.parseInt(pool.split('@')[1] ?? '', 10)
    const build = this.facts.builds.get(revision)
    if (engine && build !== undefined && engine.build !== build)
      this.#report(`${gateway.name} sent a request for revision ${revision} to ${id}, which runs build ${engine.build}, not ${build}`)
    const rolledBackAt = this.facts.rolledBack.get(revision)
    if (rolledBackAt !== undefined && this.#calm_s(rolledBackAt) > SPREAD_S)
      this.#report(`${gateway.name} sent a request to revision ${revision}, rolled back ${this.#calm_s(rolledBackAt).toFixed(1)} s before`)
  }

  noteConsumed(_gateway: GatewayProcess, used_nusd: number): void {
    this.consumed_nusd += used_nusd
  }

  /** The executor is about to end a replica's running job, on request. */
  checkStopped(key: string, replica: Replica | undefined): void {
    if (this.#stopped.has(key) || replica?.end !== 'drained' || replica.readyAt === undefined) return
    this.#stopped.set(key, this.#parts.timeline.now)
    for (const gateway of this.gateways) {
      if (!gateway.isUp || !gateway.directory || !this.#isInContact(gateway)) continue
      const { directory } = gateway
      const listed = [...directory.pools.values()].flatMap(({ replicas }) => replicas).some(({ id }) => id === key)
      const running = directory
        .drainingPools()
        .flatMap((pool) => [...pool.leaving])
        .reduce((sum, { id, load }) => sum + (id === key ? load.running : 0), 0)
      if (listed) this.#report(`${key} was stopped while ${gateway.name}, in contact, sends requests there (${replica.detail})`)
      if (running > 0 && replica.detail === 'drained') this.#report(`${key} was stopped with ${running} requests of ${gateway.name}`)
    }
  }

  /** Replicas that are kept for the way back, as of this look: none for longer than its time, and the time to notice it. */
  checkKept(rows: readonly Replica[], keep_s: number): void {
    const { timeline } = this.#parts
    const warm = rows.filter(({ state }) => state === 'warm')
    for (const { id } of warm) {
      const violation = this.#suspected.get(id)
      if (violation !== undefined) this.#report(violation)
    }
    this.#suspected.clear()
    this.facts.kept = new Map(warm.map(({ id }) => [id, this.facts.kept.get(id) ?? timeline.now]))
    for (const [id, since] of this.facts.kept)
      if (this.#calm_s(since) > keep_s + SPREAD_S)
        this.#report(`${id} is kept for ${this.#calm_s(since).toFixed(1)} s, ${keep_s} s are stated`)
  }

  /** Rows of one revision that serve, shall or could, beside the most that are desired. */
  checkCount(rows: readonly Replica[], most: number): void {
    for (const [revision, all] of Map.groupBy(rows, (row) => row.revision)) {
      const count = all.filter(({ state }) => ['submitting', 'starting', 'serving', 'warm'].includes(state)).length
      if (count > most) this.#report(`revision ${revision} has ${count} replicas, at most ${most} are desired`)
    }
  }

  #isInContact(gateway: GatewayProcess): boolean {
    return this.#parts.timeline.now - (this.#contactAt.get(gateway.process.name) ?? Number.NEGATIVE_INFINITY) <= CONTACT_S
  }

  #calm_s(since: number): number {
    return this.#parts.timeline.now - Math.max(since, this.#parts.calmSince())
  }

  #report(violation: string): void {
    if (this.violations.size < 20 && !this.violations.has(violation)) this.#parts.timeline.addToTrace(`VIOLATION ${violation}`)
    if (this.violations.size < 20) this.violations.add(violation)
  }
}
