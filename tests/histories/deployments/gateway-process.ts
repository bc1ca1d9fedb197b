// One gateway of a history: the production code for snapshots, quotas, routing and budgets, in simulated time, with clients that send
// requests. Only the sockets are left out.

import { type Books, LeasedBudgets, SnapshotSource } from '@ironlaw/gateway'
import { settleQuota, takeQuota, weightedChoice } from '@ironlaw/policies/serving'
import { type Caller, Directory } from '../../../packages/effects/gateway/src/configuration/directory.ts'
import type { Reservation } from '../../../packages/effects/gateway/src/budget/budgets.ts'
import { tallyAnswer } from '../../../packages/effects/gateway/src/reporting/replica-tally.ts'
import { addLoad, removeLoad } from '../../../packages/effects/gateway/src/upstream/upstream.ts'
import { totalsOf } from '../../../packages/effects/gateway/src/reporting/totals.ts'
import type { Effects, Process } from '../../../packages/effects/control/test/effects.ts'
import type { Timeline } from '../timeline.ts'
import type { Filter } from './parts.ts'
import type { SyncAnswer } from './plane.ts'
import type { Witness } from './witness.ts'

export const MODEL = 'chat'
/** With the tenant of each. The first has a budget, the last may be revoked. */
export const KEYS = [
  ['key-one', 'one'],
  ['key-two', 'two'],
  ['key-three', 'two'],
] as const
export const REVOCABLE = 'key-three'
const SYNC_S = 2
const CLIENTS_S = 1
const WORST_NUSD = 100
export const LEASE = { chunk_nusd: 200, report_ms: 4000, lease_s: 15, patience_ms: 3000 }
const TOKENS = 20
/** A request that was thought lost arrives so much later. */
const LATE_S = 6

type FetchResult = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string }

const LOST: FetchResult = { ok: false, problem: 'the request or its answer was lost' }

export type GatewayParts = {
  readonly name: string
  readonly timeline: Timeline
  readonly effects: Effects
  readonly witness: Witness
  readonly books: (process: Process) => Books
  /** Reaches a control plane, or fails. */
  readonly sync: (gateway: string, body: string) => Promise<SyncAnswer>
  readonly died: (process: Process) => void
  readonly engine: (url: string) => 'answers' | 'fails'
  readonly filter: Filter
}

export class GatewayProcess {
  readonly name: string
  process: Process
  directory: Directory | undefined
  budgets: LeasedBudgets | undefined
  disk: 'well' | 'fails' | 'hangs' = 'well'
  isCutOff = false
  readonly #parts: GatewayParts
  #kept: string | undefined
  #starts = 0

  constructor(parts: GatewayParts) {
    this.name = parts.name
    this.#parts = parts
    this.process = { name: parts.name, dead: true }
    void this.#begin()
  }

  get isUp(): boolean {
    return !this.process.dead
  }

  /** Unless it has left in order: nobody starts that again. */
  restart(seconds: number): void {
    this.#parts.timeline.after(seconds, () => {
      if (!this.isUp && !this.#isClosing) void this.#begin()
    })
  }

  /** The orderly end: everything is given back. */
  async close(): Promise<void> {
    const { budgets, process } = this
    this.#isClosing = true
    await budgets?.close()
    process.dead = true
  }

  #isClosing = false

  async #begin(): Promise<void> {
    const { name, timeline, effects, witness, books } = this.#parts
    this.#starts += 1
    const boot = `${name}-${this.#starts}`
    const process: Process = { name: boot, dead: false }
    this.process = process
    this.directory = undefined
    const source = this.#source(process)
    this.budgets = new LeasedBudgets(books(process), LEASE, {
      now_ms: () => 1000 * timeline.now,
      sleep: (ms) => new Promise((resolve) => timeline.after(ms / 1000, resolve)),
      every: (ms, act) => {
        let isStopped = false
        const again = (): void => {
          if (isStopped || process.dead) return
          act()
          timeline.after(ms / 1000, again)
        }
        timeline.after(ms / 1000, again)
        return () => void (isStopped = true)
      },
    })
    try {
      const first = await source.first()
      if (process.dead) return
      this.directory = new Directory(this.#parts.filter.applied(first, undefined), timeline.now)
      witness.checkApplied(this, first)
      timeline.after(SYNC_S, () => void this.#follow(process, source))
      timeline.after(timeline.between(0, CLIENTS_S), () => this.#serveClients(process))
    } catch (cause) {
      // It ends with an error, and its supervisor starts it again.
      timeline.addToTrace(`${boot} cannot start: ${String(cause)}`)
      await effects.kill(process)
      this.restart(timeline.between(1, 4))
    }
  }

  #source(process: Process): SnapshotSource {
    const { name, timeline, effects } = this.#parts
    const useDisk = async <T>(act: () => T, failed: T): Promise<T> => {
      if (this.disk === 'hangs') await effects.delays.overdue()
      return this.disk === 'well' ? act() : failed
    }
    const problem = 'EIO: i/o error'
    const report = (): object => {
      const totals = this.directory ? totalsOf(this.directory, timeline.now) : { pools: [], replicas: [] }
      return { boot: process.name, leaving: false, ...totals, replicas: totals.replicas.map((each) => this.#parts.filter.reported(each)) }
    }
    return new SnapshotSource({
      source: `http://control/v1/gateways/${name}/sync`,
      keepAt: 'last-snapshot.json',
      every_ms: 1000,
      report,
      surroundings: {
        read: () =>
          useDisk(() => (this.#kept === undefined ? { ok: false, problem: 'ENOENT' } : { ok: true, text: this.#kept }), {
            ok: false,
            problem,
          }),
        keep: (_path, text) => useDisk(() => void (this.#kept = text), problem),
        fetch: (_url, { body = '' }) => this.#fetch(process, body),
      },
    })
  }

  async #fetch(process: Process, body: string): Promise<FetchResult> {
    if (this.isCutOff) return LOST
    try {
      return await this.#exchange(process, body)
    } catch (cause) {
      // Of a process that died there is nobody left to whom it matters.
      return { ok: false, problem: String(cause) }
    }
  }

  async #exchange(process: Process, body: string): Promise<FetchResult> {
    const { name, effects, sync, witness, timeline, died } = this.#parts
    const sentAt = timeline.now
    // The way there is the effect; the control plane's own effects come behind it.
    const passage = await effects.enter(process, 'sync')
    let arrives = passage.verdict === 'twice' ? 2 : 1
    try {
      if (passage.isLost('before')) arrives = 0
      if (passage.verdict === 'late') timeline.after(LATE_S, () => void sync(name, body).catch(() => undefined))
    } finally {
      passage.leave()
    }
    let answer: SyncAnswer | undefined
    try {
      for (let each = 0; each < arrives; each += 1) answer = await sync(name, body)
    } finally {
      // It dies of the answer, behind the effect.
      if (passage.verdict === 'crash-after' && !process.dead) {
        await effects.kill(process)
        died(process)
      }
    }
    if (passage.isDropped) await effects.delays.overdue()
    if (!answer || passage.isLost('after') || this.isCutOff) return LOST
    if (answer.status === 400) return { ok: false, problem: 'status 400' }
    witness.noteSync(this, sentAt)
    return { ok: true, text: answer.text }
  }

  async #follow(process: Process, source: SnapshotSource): Promise<void> {
    const { timeline, witness } = this.#parts
    if (process.dead || this.#isClosing) return
    const problem = await source.lookOnce((seen) => {
      if (process.dead || !this.directory) return
      const applied = this.#parts.filter.applied(seen, this.directory.snapshot)
      this.directory.apply(applied, timeline.now)
      witness.checkApplied(this, applied)
      timeline.addToTrace(`${process.name} applies version ${applied.version}`)
    })
    if (problem !== undefined) timeline.addToTrace(`${process.name}: ${problem}`)
    timeline.after(SYNC_S, () => void this.#follow(process, source))
  }

  #serveClients(process: Process): void {
    const { timeline } = this.#parts
    if (process.dead || this.#isClosing || !this.directory) return
    for (const [key] of KEYS) void this.#serve(process, key)
    timeline.after(timeline.between(0.5 * CLIENTS_S, 1.5 * CLIENTS_S), () => this.#serveClients(process))
  }

  async #serve(process: Process, key: string): Promise<void> {
    const { timeline, witness } = this.#parts
    const { directory, budgets } = this
    const caller = directory?.findCaller(`Bearer ${key}`, timeline.now)
    if (!directory || !budgets || !caller) return
    witness.checkAdmitted(this, key)
    const { tenant } = caller
    if (!takeQuota(tenant.use, tenant.quota, { tokens: TOKENS, now: timeline.now }).ok) return
    const held = tenant.entry.budget === undefined ? undefined : await budgets.reserve(tenant.entry.budget, WORST_NUSD)
    if (held && 'refused' in held) {
      settleQuota(tenant.use, { taken: TOKENS, used: 0 })
      return
    }
    if (process.dead || !this.#isSent(caller, held)) {
      held?.settle(0)
      settleQuota(tenant.use, { taken: TOKENS, used: 0 })
    }
  }

  /** Whether a replica took it; then it ends later. */
  #isSent({ tenant }: Caller, held: Reservation | undefined): boolean {
    const { timeline, witness, engine } = this.#parts
    const { process, directory } = this
    const model = directory?.snapshot.models[MODEL]
    if (!directory || !model) return false
    const draw = (): number => timeline.random.uniform()
    const chosen =
      model.targets[
        weightedChoice(
          model.targets.map(({ weight }) => weight),
          draw(),
        )
      ]?.pool ?? ''
    const pool = directory.pools.get(chosen)
    const routed = pool?.route({ promptTokens: 10, outputTokens: 10 }, { text: () => '', tried: [], now: timeline.now, draw, salt: '' })
    if (!pool || !routed) return false
    const { replica } = routed
    const url = `http://${replica.host}`
    pool.arrived += 1
    witness.checkRouted(this, { id: replica.id, url, pool: pool.name })
    const share = addLoad(replica, { uncached: 10, output: 10 })
    const sentAt = timeline.now
    const lasts_s = timeline.between(0.1, 6)
    timeline.after(lasts_s, () => {
      if (process.dead) return
      removeLoad(share)
      const isAnswered = engine(url) === 'answers'
      const endedAt = timeline.now
      const answer = { sentAt, firstByteAt: sentAt + 0.3 * lasts_s, endedAt, tokens: TOKENS, completion: 10, isEmpty: false }
      if (isAnswered) tallyAnswer(replica.tally, answer)
      else replica.tally.errors += 1
      const used = isAnswered ? Math.round(timeline.between(1, WORST_NUSD)) : 0
      if (held) {
        held.settle(used)
        witness.noteConsumed(this, used)
      }
      settleQuota(tenant.use, { taken: TOKENS, used: isAnswered ? TOKENS : 0 })
    })
    return true
  }
}
