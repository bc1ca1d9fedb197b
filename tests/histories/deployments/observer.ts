// Looks at the database now and then, past all faults, and tells the witness what has been decided by now.

import { isRolling, type Replica } from '@ironlaw/contracts'
import type { Executor } from '@ironlaw/executors'
import { type Deployment, deploymentStream, eventsOf, replicasOf, revisionsOf } from '@ironlaw/store'
import { type GatewayProcess, KEYS } from './gateway-process.ts'
import { NO_FACTS, SPREAD_S } from './witness.ts'
import type { World } from './world.ts'

export class Observer {
  alive: ReadonlySet<string> = new Set()
  looks = 0
  readonly #world: World
  #sequence = 0
  #row: Deployment | undefined
  #replicas: readonly Replica[] = []
  #version = -1

  constructor({ world }: { readonly world: World }) {
    this.#world = world
  }

  /** What was seen is not so any more. */
  forget(): void {
    this.#sequence = 0
    this.#world.witness.facts = NO_FACTS()
  }

  async look(): Promise<Deployment | undefined> {
    const { database, witness, plan, timeline } = this.#world
    this.looks += 1
    const row = await this.#world.row()
    this.#row = row
    if (!row) return undefined
    const { facts } = witness
    const events = await eventsOf(database, deploymentStream(row.id), { after: this.#sequence, limit: 1000 })
    for (const { kind, body, sequence } of events) {
      this.#sequence = sequence
      if (kind === 'rollout-rolled-back') facts.rolledBack.set(Number(body['revision']), timeline.now)
      if (kind === 'rollout-promoted') this.#world.returnLater()
      if (kind === 'rollout-returned') facts.rolledBack.delete(Number(body['revision']))
    }
    if (facts.builds.size < row.newest)
      for (const { number, argv } of (await revisionsOf(database, [row.id])).get(row.id)) facts.builds.set(number, Number(argv[1]))
    this.#replicas = (await replicasOf(database, [row.id], { goneSince_at: Infinity })).get(row.id)
    this.alive = new Set(this.#replicas.map(({ id }) => id))
    witness.checkKept(this.#replicas, plan.keepPrevious_s)
    witness.checkCount(this.#replicas, Math.max(plan.replicas, plan.scaledTo ?? 0))
    const [snapshot] = await this.#world.connection.query<{ version: number; keys: number }>(
      "select version, jsonb_array_length(config -> 'keys') as keys from gateway_snapshot",
      [],
    )
    this.#version = Number(snapshot?.version)
    if (Number(snapshot?.keys) !== KEYS.length - 1) facts.revokedAt = undefined
    else facts.revokedAt ??= timeline.now
    return row
  }

  /** Everything is as desired, everywhere, and nothing has gone wrong for long enough to hold it against somebody. */
  isSettled(gateways: readonly GatewayProcess[]): boolean {
    const { timeline, calmSince, fleet } = this.#world
    const row = this.#row
    return (
      row?.state === 'serving' &&
      !isRolling(row.rollout) &&
      timeline.now > calmSince + SPREAD_S + 2 &&
      this.#replicas.length === row.wanted &&
      this.#replicas.every(({ state, revision }) => state === 'serving' && revision === row.stable) &&
      gateways.every(({ directory }) => directory?.snapshot.version === this.#version) &&
      [...fleet.jobs()].every(([key, { state }]) => state === 'ended' || this.alive.has(key))
    )
  }

  /** The executor, with a look at what it is about to stop. */
  watchExecutor(inner: Executor): Executor {
    return {
      ...inner,
      cancel: async (key) => {
        const { database, witness, engines } = this.#world
        if (engines.isRunning(key)) {
          const row = await database.selectFrom('replicas').select('body').where('id', '=', key).executeTakeFirst()
          witness.checkStopped(key, row?.body)
        }
        return inner.cancel(key)
      },
    }
  }
}
