import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { onEachDatabase } from '../test/each-database.ts'
import { openEmbedded } from './database.ts'
import { migrate, migrationFiles } from './migrate.ts'

onEachDatabase((opened) => {
  test('a database that is up to date is left alone, by any number of starters at once', async () => {
    const { database } = opened()
    expect(await Promise.all([migrate(database), migrate(database), migrate(database)])).toEqual([[], [], []])
  })

  test('a new file is applied once, a changed one is refused by name', async () => {
    const { database } = opened()
    const files = await migrationFiles()
    const added = { name: '9999-added', text: 'create table added (id int);\ninsert into added values (1);\n' }
    expect(await migrate(database, [...files, added])).toEqual(['9999-added'])
    expect(await migrate(database, [...files, added])).toEqual([])
    const changed = { ...added, text: 'create table added (id bigint);\n' }
    await expect(migrate(database, [...files, changed])).rejects.toThrow('9999-added.sql is not the one this database was made with')
    expect((await sql`select id from added`.execute(database)).rows).toEqual([{ id: 1 }])
  })

  test('a file that fails leaves nothing of itself', async () => {
    const { database } = opened()
    const added = { name: '9999-added', text: 'create table added (id int);\ninsert into added values (1);\n' }
    const bad = { name: '99999-bad', text: 'create table half (id int);\nselect 1 / 0;\n' }
    await expect(migrate(database, [...(await migrationFiles()), added, bad])).rejects.toThrow('99999-bad')
    expect((await sql`select to_regclass('half')::text as half`.execute(database)).rows).toEqual([{ half: null }])
  })
})

test('runs of the release before allocations stop the upgrade, which says what to do and goes on when they have ended', async () => {
  const database = await openEmbedded('memory')
  const files = await migrationFiles()
  const before = files.findIndex(({ name }) => name.endsWith('allocations'))
  await migrate(database, files.slice(0, before))
  await sql`set session_replication_role = replica`.execute(database)
  await sql`insert into attempts (run_id, number, body) values ('r', 1, '{"number": 1, "state": "running"}')`.execute(database)
  const refusal = {
    code: 'IL_CONFLICT',
    message: expect.stringMatching(/^1 runs of the release before/),
    next: expect.stringContaining('cancel'),
  }
  await expect(migrate(database, files)).rejects.toMatchObject(refusal)
  await sql`update attempts set body = '{"number": 1, "state": "ended"}'`.execute(database)
  expect(await migrate(database, files)).toEqual(files.slice(before).map(({ name }) => name))
  await database.destroy()
}, 60_000)

test('files are numbered one after another, each number once', async () => {
  const numbers = (await migrationFiles()).map(({ name }) => Number(name.slice(0, 4)))
  expect(numbers).toEqual(numbers.map((_, index) => index + 1))
})
