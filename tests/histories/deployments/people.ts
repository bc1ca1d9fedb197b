// What people ask of the API: again and again until it is done or refused.

import { hash } from 'node:crypto'
import { IronlawError } from '@ironlaw/contracts'
import { DEPLOYMENT_SPEC } from '@ironlaw/contracts/deployment-api'
import { GATEWAY_CONFIG } from '@ironlaw/contracts/gateway-snapshot'
import { DEFAULT_ROLLOUT } from '@ironlaw/policies/rollout'
import { configureGateways, type Database } from '@ironlaw/store'
import { makeDeployment, orderRollout, removeDeployment, revise } from '../../../packages/effects/control/src/deploy/make-deployment.ts'
import { publishSnapshot } from '../../../packages/effects/control/src/deploy/publish-snapshot.ts'
import type { Timeline } from '../timeline.ts'
import { type KEYS, MODEL } from './gateway-process.ts'
import type { ORDERS, Plan } from './plan.ts'
import type { Plane } from './plane.ts'

export const BUDGET = 'budget'
const ADA = 'ada'
const RETRY_S = 2

type Parts = {
  readonly timeline: Timeline
  readonly plan: Plan
  /** The control plane that answers people, if one does. */
  readonly api: () => Plane | undefined
}

export class People {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  deploy(): void {
    const { replicas, scaledTo, shadow_s, keepPrevious_s: keep_previous_s } = this.#parts.plan
    const spec = DEPLOYMENT_SPEC.parse({
      replicas,
      ...(scaledTo !== undefined && { scaling: { min: 1, max: scaledTo, tokens_per_s: 40, cold_start_s: 5, down_after_s: 20 } }),
      rollout: { shares: [0.5], shadow_s, stage_s: 30, start_failures: 2, keep_previous_s, margins: { errors: 0.3, ttft: 0.9, tpot: 0.9 } },
      probes: [{ prompt: 'two and two is', expect: 'four' }],
      limits: { start_s: 15, silence_s: 8, drain_s: 8 },
    })
    const wanted = { name: MODEL, project: 'p', team: 't', spec, revision: revisionOf(0) }
    this.#insist((database, at) => makeDeployment(database, wanted, { actor: ADA, at }))
  }

  configure(keys: readonly (typeof KEYS)[number][]): void {
    const config = GATEWAY_CONFIG.parse({
      tenants: { one: { budget: BUDGET }, two: {} },
      keys: keys.map(([key, tenant]) => ({ sha256: hash('sha256', key), tenant })),
    })
    this.#insist(async (database, at) => {
      await configureGateways(database, config, { kind: 'gateways-configured', actor: ADA, at, body: { keys: keys.length } })
      await publishSnapshot(database)
    })
  }

  revise(index: number): void {
    const asking = { name: MODEL, actor: ADA, rule: DEFAULT_ROLLOUT }
    this.#insist((database, at) => revise(database, revisionOf(index + 1), { ...asking, at }))
  }

  /** Nobody promotes what may be bad. */
  order(what: (typeof ORDERS)[number]): void {
    const isGood = this.#parts.plan.revisions.every(({ behaviour }) => behaviour === 'good')
    const order = what === 'promote' && !isGood ? 'rollback' : what
    this.#insist((database, at) => orderRollout(database, { do: order }, { name: MODEL, actor: ADA, at }))
  }

  /** A person decides what the evidence left open. */
  decide(build: number): void {
    const isGood = this.#parts.plan.revisions[build - 1]?.behaviour === 'good'
    this.#insist((database, at) => orderRollout(database, { do: isGood ? 'promote' : 'rollback' }, { name: MODEL, actor: ADA, at }))
  }

  remove(): void {
    this.#insist((database, at) => removeDeployment(database, { name: MODEL, actor: ADA, at }))
  }

  #insist(work: (database: Database, at: number) => Promise<unknown>): void {
    const plane = this.#parts.api()
    const again = (): void => this.#parts.timeline.after(RETRY_S, () => this.#insist(work))
    if (!plane) return again()
    work(plane.ports.database, plane.ports.now()).then(
      () => plane.wake(),
      (cause: unknown) => (cause instanceof IronlawError && cause.code === 'IL_CONFLICT' ? undefined : again()),
    )
  }
}

const revisionOf = (build: number) => ({
  model: 'm',
  argv: ['engine', String(build)],
  directory: '/',
  environment: {},
  processes: 1,
  max_running: 8,
})
