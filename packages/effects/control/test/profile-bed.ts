// Gateways that count answers and report them, over an API whose clock the test moves.

import type { Profile, ProfileWindow } from '@ironlaw/contracts/profile'
import type { DeploymentProfile } from '@ironlaw/contracts/profile-api'
import { ProfileCounter } from '@ironlaw/policies/profile'
import type { Database } from '@ironlaw/store'
import { type ApiBed, apiBed } from './api-bed.ts'

export const HOUR_S = 3600
/** Some hour in 2026. */
export const FIRST_HOUR = 495_000

export type ProfileBed = ApiBed & {
  readonly clock: { hour: number }
  readonly report: (source: { readonly gateway: string; readonly boot: string }, windows: readonly ProfileWindow[]) => Promise<number>
  readonly profile: (query?: string) => Promise<DeploymentProfile>
}

const SERVED = { model: 'm', argv: ['engine'], directory: '/', environment: {}, processes: 1, max_running: 8 }

/** With the deployment chat, of two revisions. */
export async function profileBed(database?: Database): Promise<ProfileBed> {
  const clock = { hour: FIRST_HOUR }
  const bed = await apiBed({ ...(database && { database }), now: () => (clock.hour + 0.5) * HOUR_S })
  const as = bed.tokens.operator
  const spec = { replicas: 1 }
  await bed.call({ method: 'POST', url: '/v1/deployments', as, body: { name: 'chat', project: 'default', spec, revision: SERVED } })
  await bed.call({ method: 'POST', url: '/v1/deployments/chat/revisions', as, body: { ...SERVED, argv: ['engine', '2'] } })
  return {
    ...bed,
    clock,
    report: async ({ gateway, boot }, windows) =>
      (await bed.call({ method: 'POST', url: `/v1/gateways/${gateway}/profiles`, as, body: { boot, windows } })).status,
    profile: async (query = '') =>
      (await bed.call({ method: 'GET', url: `/v1/deployments/chat/profile${query}`, as: bed.tokens.viewer })).json,
  }
}

/** One process of a gateway, or a part of it: what it counts rises. */
export class CountingGateway {
  readonly counter = new ProfileCounter()
  readonly #random: () => number

  constructor(random: () => number) {
    this.#random = random
  }

  count(answers: number): Profile {
    for (let each = 0; each < answers; each += 1) {
      this.counter.rows += 1
      this.counter.countNumber('prompt-tokens', Math.ceil(Math.exp(7 + 2 * (this.#random() + this.#random() - 1))))
      this.counter.countNumber('answer-tokens', Math.ceil(Math.exp(5 + 2 * (this.#random() + this.#random() - 1))))
      this.counter.countWord('ending', this.#random() < 0.8 ? 'stop' : 'length')
      if (this.#random() < 0.2) this.counter.countNumber('embedding', this.#random() - 0.5)
    }
    return this.counter.profile()
  }
}
