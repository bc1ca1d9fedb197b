import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { onEachDatabase, onServer } from '../test/each-database.ts'
import { queuedRun } from '../test/samples.ts'
import { jsonText } from './json-text.ts'
import { runOf } from './runs.ts'

onEachDatabase((opened) => {
  test('a count is a number, jsonb is an object, a time keeps every digit', async () => {
    const { database } = opened()
    const at = 1763180000.1234567
    const run = await runOf(database, await queuedRun(database, { at }))
    expect(run).toMatchObject({ created_at: at, spec: { nodes: 2 }, attempt: 0 })
    const { rows } = await sql`select count(*) as count, 9007199254740991::int8 as big from generate_series(1, 3)`.execute(database)
    expect(rows).toEqual([{ count: 3, big: Number.MAX_SAFE_INTEGER }])
  })

  test('concurrent transactions are isolated: one rolls back, the others and concurrent plain queries stay', async () => {
    const { database } = opened()
    const failing = database.transaction().execute(async (transaction) => {
      await queuedRun(transaction, { project: 'apart' })
      await new Promise((resolve) => setTimeout(resolve, 20))
      throw new Error('changed my mind')
    })
    const others = [
      queuedRun(database, { project: 'apart' }),
      database.transaction().execute((transaction) => queuedRun(transaction, { project: 'apart' })),
    ]
    await expect(failing).rejects.toThrow('changed my mind')
    const kept = await Promise.all(others)
    const rows = await database.selectFrom('runs').select('id').where('project', '=', 'apart').orderBy('id').execute()
    expect(rows.map(({ id }) => id)).toEqual(kept.toSorted())
  })

  test.each([
    ['NUL', 'a\u0000b', 'a\uFFFDb'],
    ['two of them after a backslash', '\\\u0000\u0000', '\\\uFFFD\uFFFD'],
    ['half a pair', 'x\uD83D', 'x\uFFFD'],
    ['a whole pair', '\u{1F600}', '\u{1F600}'],
    ['the text of an escape', String.raw`\u0000 \\u0000`, String.raw`\u0000 \\u0000`],
  ])('%s can be stored as text of a jsonb value', async (_, text, stored) => {
    const { rows } = await sql`select ${jsonText({ text })}::jsonb as value`.execute(opened().database)
    expect(rows).toEqual([{ value: { text: stored } }])
  })
})

onServer((opened) => {
  test('a connection cut off between two statements fails their transaction, not the process', async () => {
    const { database } = opened()
    const cut = database.transaction().execute(async (transaction) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction)
      await sql`select pg_terminate_backend(${rows[0]?.pid ?? 0})`.execute(database)
      await new Promise((resolve) => setTimeout(resolve, 100))
      await sql`select 1`.execute(transaction)
    })
    await expect(cut).rejects.toThrow('connection error')
    expect((await sql`select 1 as one`.execute(database)).rows).toEqual([{ one: 1 }])
  })
})
