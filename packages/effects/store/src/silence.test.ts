// A database that falls silent, as in a failover that drops packets: connections stay open, and no answer comes.

import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { onServer } from '../test/each-database.ts'
import { type SilentProxy, silentProxy } from '../test/silent-proxy.ts'
import { type Database, DATABASE_LIMITS, openPostgres } from './database.ts'

const TIMEOUT_MS = 60_000
const LIMITS = { ...DATABASE_LIMITS, connect_ms: 1000, silence_ms: 1500 }

onServer((opened) => {
  async function throughProxy(work: (proxy: SilentProxy, database: Database) => Promise<void>): Promise<void> {
    const proxy = await silentProxy(opened().url ?? '')
    const database = openPostgres(proxy.url, { max: 2, limits: LIMITS })
    try {
      await work(proxy, database)
    } finally {
      proxy.close()
      await database.destroy()
    }
  }
  const ask = (database: Database) => sql<{ one: number }>`select 1 as one`.execute(database)

  test(
    'statements fail within the limit, also inside a transaction, and connections are made anew when it is back',
    { timeout: TIMEOUT_MS },
    () =>
      throughProxy(async (proxy, database) => {
        await ask(database)
        const transaction = database.transaction().execute(async (inside) => {
          await ask(inside)
          proxy.fallSilent()
          await ask(inside)
        })
        await expect(transaction).rejects.toThrow()
        await expect(ask(database)).rejects.toThrow()
        proxy.heal()
        await vi.waitFor(async () => expect((await ask(database)).rows).toEqual([{ one: 1 }]), { timeout: 20_000, interval: 100 })
      }),
  )

  test('a statement that takes too long is ended by the server', { timeout: TIMEOUT_MS }, async () => {
    const database = openPostgres(opened().url ?? '', { max: 1, limits: { ...LIMITS, statement_ms: 200, silence_ms: 10_000 } })
    await expect(sql`select pg_sleep(30)`.execute(database)).rejects.toThrow('statement timeout')
    await database.destroy()
  })
})
