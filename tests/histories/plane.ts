// One control plane of a history: a process with the production reconciler, a clock that may be wrong, killed and started again.

import { DEFAULT_LIMITS } from '@ironlaw/policies/run'
import type { Executor } from '@ironlaw/executors'
import type { ReconcilePorts } from '../../packages/effects/control/src/reconcile/ports.ts'
import { reconcileRuns } from '../../packages/effects/control/src/reconcile/reconcile-runs.ts'
import type { Round } from '../../packages/effects/control/src/rounds/rounds.ts'
import type { Effects, Process } from '../../packages/effects/control/test/effects.ts'
import { type Connection, simulatedDatabase } from '../../packages/effects/control/test/simulated-database.ts'
import { simulatedExecutor } from '../../packages/effects/control/test/simulated-executor.ts'
import type { RunStorage } from '../../packages/effects/control/src/reconcile/run-storage.ts'
import { Clock } from './clock.ts'
import type { Timeline } from './timeline.ts'

export type PlaneParts = {
  readonly timeline: Timeline
  readonly effects: Effects
  readonly connection: Connection
  readonly executor: Executor
  readonly storage: Required<RunStorage>
  readonly cluster: string
}

/**
 * As in production but for time limits of minutes, which would be most of a history, and for what is concluded from the failures of other
 * runs: histories that share a database would be an outage to one another.
 */
export const LIMITS = {
  ...DEFAULT_LIMITS,
  gather_s: 60,
  start_s: 40,
  checkpoint_s: 40,
  firstReport_s: 20,
  agentSilence_s: 20,
  outageRuns: Infinity,
}

const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, ' ').slice(0, 110)

export class Plane {
  process: Process
  ports: ReconcilePorts
  stalledUntil = 0
  readonly #name: string
  readonly #around: PlaneParts
  readonly #clock: Clock
  #starts = 0
  #isWoken = false

  constructor(name: string, around: PlaneParts) {
    this.#name = name
    this.#around = around
    this.process = { name, dead: true }
    this.#clock = new Clock(around.timeline)
    this.ports = this.#begin()
  }

  get isUp(): boolean {
    return !this.process.dead
  }

  wake(): void {
    this.#isWoken = true
    const { process } = this
    this.#around.timeline.after(0, () => this.#round(process))
  }

  stall(seconds: number): void {
    this.stalledUntil = this.#around.timeline.now + seconds
  }

  jump(by_s: number): void {
    this.#clock.jump(by_s)
  }

  repair(): void {
    this.#clock.reset()
    this.stalledUntil = 0
  }

  /** Starts it again a while after it died. */
  restart(seconds: number): void {
    this.#around.timeline.after(seconds, () => {
      if (!this.isUp) this.ports = this.#begin()
    })
  }

  #begin(): ReconcilePorts {
    const { timeline, effects, connection, executor, storage, cluster } = this.#around
    this.#starts += 1
    const process = { name: `${this.#name}${this.#starts}`, dead: false }
    this.process = process
    this.#isRunning = false
    timeline.after(timeline.between(0, 1), () => this.#round(process))
    const inTurn = async <T>(what: string, act: () => Promise<T>, unseen: T): Promise<T> => {
      const passage = await effects.enter(process, what)
      try {
        const found = passage.isLost('before') ? unseen : await act()
        return passage.isLost('after') ? unseen : found
      } finally {
        passage.leave()
      }
    }
    return {
      database: simulatedDatabase(connection, {
        effects,
        process,
        ...(timeline.isTraced && { told: (text) => timeline.addToTrace(`  ${oneLine(text)}`) }),
      }),
      executor: simulatedExecutor(executor, { effects, process }),
      cluster,
      site: { runs: '/runs', api: 'http://127.0.0.1:1', python: 'python3' },
      storage: {
        completion: (run) => inTurn(`completion of ${run}`, () => storage.completion(run), undefined),
        spooled: (run, attempt) => inTurn(`spool of ${run}.${attempt}`, () => storage.spooled(run, attempt), []),
        probe: () => inTurn('probe of the storage', () => storage.probe(), undefined),
      },
      limits: LIMITS,
      patience_ms: 60_000,
      now: () => this.#clock.now,
      holder: process.name,
      provideToken: (run) => inTurn(`token of ${run}`, async () => undefined, undefined),
    }
  }

  #isRunning = false

  /** As in loop.ts: a round, then a rest, or at once when woken. */
  #round(process: Process): void {
    if (process.dead || process !== this.process || this.#isRunning) return
    const { timeline } = this.#around
    this.#isRunning = true
    this.#isWoken = false
    void this.#attempt(process).then((leased) => {
      if (process !== this.process) return undefined
      this.#isRunning = false
      const rest_s = leased > 0 ? timeline.between(0.2, 2) : timeline.between(2, 6)
      return timeline.after(this.#isWoken ? 0 : rest_s, () => this.#round(process))
    })
  }

  /** How many runs were due; a round that fails as a whole is tried again. */
  async #attempt(process: Process): Promise<number> {
    if (!this.#clock.isTrusted()) return 0
    const { timeline } = this.#around
    const nothing = (cause: unknown): Round => ({ due: 0, failed: [{ what: 'all', reason: String(cause) }] })
    const { due, failed } = await reconcileRuns(this.ports).catch(nothing)
    for (const { what, reason } of failed) timeline.addToTrace(`${process.name}: ${what}: ${reason}`)
    return due
  }
}
