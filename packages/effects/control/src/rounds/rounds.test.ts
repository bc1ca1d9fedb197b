// Rounds with a database that stops answering, and with a round that never ends.

import { migrate, openPostgres } from '@ironlaw/store'
import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { SERVER_ABSENT, silentProxy, startPrivateServer } from '../../test/postgres.ts'
import { NOTHING_DUE, startRounds, workThrough } from './rounds.ts'

const TIMEOUT_MS = 60_000
const LIMITS = { connect_ms: 1000, statement_ms: 1000, silence_ms: 1500 }

describe.skipIf(SERVER_ABSENT !== undefined)('a database that falls silent', () => {
  test('rounds fail and say so, and go on when it is back', { timeout: TIMEOUT_MS }, async () => {
    const server = await startPrivateServer()
    const proxy = await silentProxy(server.url)
    const database = openPostgres(proxy.url, { max: 2, limits: LIMITS })
    await migrate(database)
    const problems: string[] = []
    let rounds = 0
    const round = async () => {
      await sql`select 1`.execute(database)
      rounds += 1
      return NOTHING_DUE
    }
    const loop = startRounds(round, (problem) => problems.push(problem))
    await vi.waitFor(() => expect(rounds).toBeGreaterThan(1), { timeout: 10_000 })
    proxy.fallSilent()
    await vi.waitFor(() => expect(problems.length).toBeGreaterThan(1), { timeout: 20_000 })
    expect(problems[0]).toBe('a round failed: the database said nothing for 1.5 s')
    const before = rounds
    proxy.heal()
    await vi.waitFor(() => expect(rounds).toBeGreaterThan(before + 1), { timeout: 20_000 })
    await loop.stop()
    proxy.close()
    await database.destroy()
    await server.stop()
  })
})

test('a round that does not end is reported, and in the end the process is given up', { timeout: TIMEOUT_MS }, async () => {
  const problems: string[] = []
  const given: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const options = { late_ms: 20, stuck_ms: 100, giveUp: (problem: string) => given.push(problem) }
  const round = () => promise.then(() => NOTHING_DUE)
  const loop = startRounds(round, (problem) => problems.push(problem), options)
  await vi.waitFor(() => expect(given.length).toBeGreaterThan(0))
  expect([problems[0], given[0]]).toEqual([expect.stringContaining('has not ended'), expect.stringContaining('has not ended')])
  resolve()
  await loop.stop()
})

for (const atOnce of [false, true])
  test(`one item that fails is named and postponed, the others are done (${atOnce ? 'all at once' : 'in turn'})`, async () => {
    const done: number[] = []
    const postponed: number[] = []
    const work = async (item: number) => {
      if (item === 3) throw new Error('the disk is full')
      done.push(item)
    }
    const items = Array.from({ length: 20 }, (_, index) => index)
    const round = await workThrough(
      items,
      { name: (item) => `run ${item}`, work, postpone: (item) => void postponed.push(item) },
      { atOnce },
    )
    expect(round).toEqual({ due: 20, failed: [{ what: 'run 3', reason: 'the disk is full' }] })
    expect([done.length, postponed]).toEqual([19, [3]])
  })
