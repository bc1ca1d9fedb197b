// One control plane of a history: a process with the production reconciler of deployments, a clock that may be wrong, killed and started
// again. It also answers gateways.

import { GATEWAY_SYNC } from '@ironlaw/contracts/gateway-sync'
import type { Executor } from '@ironlaw/executors'
import { DEFAULT_DEPLOYMENT_LIMITS } from '@ironlaw/policies/deployment'
import { DEFAULT_ROLLOUT } from '@ironlaw/policies/rollout'
import { answerSync } from '../../../packages/effects/control/src/deploy/answer-sync.ts'
import type { DeployPorts } from '../../../packages/effects/control/src/deploy/ports.ts'
import type { AnnouncedEndpoint } from '../../../packages/effects/control/src/deploy/replica-access.ts'
import { reconcileDeployments } from '../../../packages/effects/control/src/deploy/reconcile-deployments.ts'
import type { Round } from '../../../packages/effects/control/src/rounds/rounds.ts'
import type { Effects, Process } from '../../../packages/effects/control/test/effects.ts'
import { type Connection, simulatedDatabase } from '../../../packages/effects/control/test/simulated-database.ts'
import { simulatedExecutor } from '../../../packages/effects/control/test/simulated-executor.ts'
import { Clock } from '../clock.ts'
import type { Timeline } from '../timeline.ts'
import type { Engines } from './engines.ts'

export type PlaneParts = {
  readonly timeline: Timeline
  readonly effects: Effects
  readonly connection: Connection
  readonly executor: Executor
  readonly engines: Engines
  readonly isReady: (url: string) => boolean
}

const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, ' ').slice(0, 110)

/** The answer to a gateway: nothing new, the newest snapshot, or what is wrong with what it sent. */
export type SyncAnswer = { readonly status: 200 | 204 | 400; readonly text: string }

export class Plane {
  process: Process
  ports: DeployPorts
  stalledUntil = 0
  readonly #name: string
  readonly #around: PlaneParts
  readonly #clock: Clock
  #starts = 0
  #isWoken = false
  #isRunning = false

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

  /** What the route of the API does with the body of a request. */
  async answerSync(gateway: string, text: string): Promise<SyncAnswer> {
    const { success, data: body, error } = GATEWAY_SYNC.safeParse(parsedJson(text))
    if (!success) return { status: 400, text: String(error) }
    const { database, now } = this.ports
    const newer = await answerSync(database, { gateway, body, now })
    return newer ? { status: 200, text: JSON.stringify(newer) } : { status: 204, text: '' }
  }

  #begin(): DeployPorts {
    const { timeline, effects, connection, executor, engines, isReady } = this.#around
    this.#starts += 1
    const process = { name: `${this.#name}${this.#starts}`, dead: false }
    this.process = process
    this.#isRunning = false
    timeline.after(timeline.between(0, 1), () => this.#round(process))
    const callEffect = <T>(what: string, act: () => T, unanswered: T): Promise<T> =>
      effects.call(
        { process, what },
        async () => act(),
        () => unanswered,
      )
    return {
      database: simulatedDatabase(connection, {
        effects,
        process,
        ...(timeline.isTraced && { told: (text) => timeline.addToTrace(`  ${oneLine(text)}`) }),
      }),
      executor: simulatedExecutor(executor, { effects, process }),
      site: { runs: '/runs' },
      access: {
        endpoint: async (replica, { token }) => {
          if (engines.storage === 'hangs') await effects.delays.overdue()
          const isRead = engines.storage === 'well' || engines.storage === 'full'
          return callEffect<AnnouncedEndpoint>(
            `endpoint of ${replica}`,
            () => (isRead ? engines.announcedUrl(replica, token) : undefined),
            undefined,
          )
        },
        isReady: (url) => callEffect('readiness', () => isReady(url), false),
        lastWords: (replica) => callEffect(`log of ${replica}`, () => undefined, undefined),
        nameProblem: () => callEffect('name', () => undefined, undefined),
        isRight: (url) => callEffect('probe', () => this.#isRight(url), undefined),
      },
      limits: DEFAULT_DEPLOYMENT_LIMITS,
      rollout: DEFAULT_ROLLOUT,
      now: () => this.#clock.now,
      holder: process.name,
    }
  }

  #isRight(url: string): boolean | undefined {
    const engine = this.#around.engines.byUrl(url)
    return engine && this.#around.engines.isReady(engine) ? engine.behaviour !== 'wrong' : undefined
  }

  /** As in loop.ts: a round, then a rest, or at once when woken. Rests are longer, so that a history has fewer rounds that see nothing. */
  #round(process: Process): void {
    if (process.dead || process !== this.process || this.#isRunning) return
    const { timeline } = this.#around
    this.#isRunning = true
    this.#isWoken = false
    void this.#attempt(process).then(() => {
      if (process !== this.process) return undefined
      this.#isRunning = false
      return timeline.after(this.#isWoken ? 0 : timeline.between(0.5, 2), () => this.#round(process))
    })
  }

  async #attempt(process: Process): Promise<void> {
    if (!this.#clock.isTrusted()) return
    const nothing = (cause: unknown): Round => ({ due: 0, failed: [{ what: 'all', reason: String(cause) }] })
    const { failed } = await reconcileDeployments(this.ports).catch(nothing)
    for (const { what, reason } of failed) this.#around.timeline.addToTrace(`${process.name}: ${what}: ${reason}`)
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
