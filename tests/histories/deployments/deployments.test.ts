import { beforeAll, describe, expect, test } from 'vitest'
import { SERVER_ABSENT, startPrivateServer } from '../../../packages/effects/store/test/private-server.ts'
import { type Lane, openLane, openServerLane } from '../lane.ts'
import { seedsFrom } from '../seeds.ts'
import { runHistory } from './history.ts'
import { planOf } from './plan.ts'
import { PLANTED } from './planted.ts'
import { replicaLogFaults } from './replica-log.ts'

const TIMEOUT_MS = 300_000
/** A planted bug is found among the first of them, or CI's minutes would not find it either. */
const SEEDS = 80

describe('histories of deployments', () => {
  let lane: Lane
  beforeAll(async () => {
    lane = await openLane()
  }, TIMEOUT_MS)

  test('hold for the first seeds', { timeout: TIMEOUT_MS }, async () => {
    for (let seed = 1; seed <= 20; seed += 1)
      expect({ seed, violations: (await runHistory(planOf(seed), lane.connection)).violations }).toEqual({ seed, violations: [] })
  })

  test.skipIf(SERVER_ABSENT !== undefined)('are the same on a server', { timeout: TIMEOUT_MS }, async () => {
    const server = await startPrivateServer()
    const other = await openServerLane(server.url, 'other')
    for (const seed of [12, 21, 22]) {
      const here = await runHistory(planOf(seed), lane.connection, { isTraced: true })
      const there = await runHistory(planOf(seed), other.connection, { isTraced: true })
      expect(there.trace).toEqual(here.trace)
    }
    await other.close()
    await server.stop()
  })

  for (const [name, { parts, found, seed: known = 1 }] of Object.entries(PLANTED))
    test(`find a planted bug: ${name}`, { timeout: TIMEOUT_MS }, async () => {
      const findingSeed = async (): Promise<number> => {
        for (const seed of seedsFrom(known, SEEDS)) {
          const { violations } = await runHistory(planOf(seed), lane.connection, { parts })
          const violation = violations.find((sentence) => found.test(sentence))
          if (violation === undefined) continue
          console.log(`${name}: found with seed ${seed}: ${violation}`)
          return seed
        }
        return Infinity
      }
      expect(await findingSeed()).toBeLessThanOrEqual(SEEDS)
    })
})

describe('the event log of a deployment', () => {
  type Logged = readonly [kind: string, body: { readonly replica?: string; readonly revision?: number }]
  const life: readonly Logged[] = [
    ['deployment-created', { revision: 1 }],
    ['replica-created', { replica: 'a', revision: 1 }],
    ['replica-submitted', { replica: 'a', revision: 1 }],
    ['replica-serving', { replica: 'a', revision: 1 }],
    ['revision-created', { revision: 2 }],
    ['rollout-promoted', { revision: 2 }],
    ['replica-draining', { replica: 'a', revision: 1 }],
    ['replica-gone', { replica: 'a', revision: 1 }],
  ]
  const cases: readonly (readonly [what: string, events: readonly Logged[], fault?: string])[] = [
    ['a whole life', life],
    ['a replica that comes back', [...life, ['replica-serving', { replica: 'a' }]], 'replica-serving of a after replica-gone'],
    ['a replica out of nothing', life.toSpliced(1, 1), 'replica-submitted of a, which was never created'],
    [
      'a second end of a rollout',
      [...life, ['rollout-rolled-back', { revision: 2 }]],
      'rollout-rolled-back of revision 2, which was not being tried',
    ],
    [
      'a way back',
      [...life.slice(0, 6), ['replica-kept', { replica: 'a' }], ['replica-resumed', { replica: 'a' }], ['replica-gone', { replica: 'a' }]],
    ],
    [
      'one kept twice',
      [...life.slice(0, 6), ['replica-kept', { replica: 'a' }], ['replica-kept', { replica: 'a' }]],
      'replica-kept of a, which did not serve',
    ],
    ['one resumed that served', [...life.slice(0, 6), ['replica-resumed', { replica: 'a' }]], 'replica-resumed of a, which was not kept'],
    ['no beginning', life.slice(1), 'the log does not begin with the deployment'],
  ]
  for (const [what, events, fault] of cases)
    test(what, () => {
      const faults = replicaLogFaults(events.map(([kind, body]) => ({ kind, body })))
      if (fault === undefined) expect(faults).toEqual([])
      else expect(faults).toContain(fault)
    })
})
