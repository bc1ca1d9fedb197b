// Clocks that are wrong by an hour or by ten years: they decide nothing, and the times they wrote do not block later rounds.

import { expect, test } from 'vitest'
import { emptiedDatabase } from '../../test/emptied-database.ts'
import { runBed } from '../../test/run-bed.ts'
import { underRightClock } from '../rounds/clock-guard.ts'
import { reconcileRuns } from './reconcile-runs.ts'

const TIMEOUT_MS = 120_000

test.each([3600, 10 * 365 * 86_400])(
  'a round by a clock %i s ahead: two nodes that die then are noticed by a right one within seconds',
  { timeout: TIMEOUT_MS },
  async (ahead) => {
    const bed = await runBed()
    await bed.newRun('r')
    await bed.pass(3, ['r'])
    for (let round = 0; round < 3; round += 1) await reconcileRuns({ ...bed.ports, now: () => bed.ports.now() + ahead })
    for (const name of ['n1', 'n2']) bed.fleet.kill(name)
    await bed.pass(15)
    expect((await bed.attempts('r')).length).toBeGreaterThan(1)
  },
)

test('a control plane whose clock differs from the database leaves its rounds out and says so', { timeout: TIMEOUT_MS }, async () => {
  const database = await emptiedDatabase()
  const problems: string[] = []
  let rounds = 0
  const guardedRound = (ahead: number) =>
    underRightClock({ database, now: () => Date.now() / 1000 + ahead, told: (problem) => problems.push(problem) }, async () => {
      rounds += 1
      return { due: 0, failed: [] }
    })
  for (const ahead of [3600, -3600]) await guardedRound(ahead)()
  expect([rounds, problems]).toEqual([
    0,
    ['ahead of', 'behind'].map(
      (which) => `the clock of this machine is 3600 s ${which} the database's: nothing is decided until they agree`,
    ),
  ])
  await guardedRound(5)()
  expect(rounds).toBe(1)
})

test(
  'a clock that is set between two rounds is noticed by the next, and so is one that is set right',
  { timeout: TIMEOUT_MS },
  async () => {
    const database = await emptiedDatabase()
    let ahead = 0
    let rounds = 0
    const guarded = underRightClock({ database, now: () => Date.now() / 1000 + ahead, told: () => undefined }, async () => {
      rounds += 1
      return { due: 0, failed: [] }
    })
    await guarded()
    ahead = 315_360_000
    for (let round = 0; round < 3; round += 1) await guarded()
    expect(rounds).toBe(1)
    ahead = 0
    await guarded()
    expect(rounds).toBe(2)
  },
)
