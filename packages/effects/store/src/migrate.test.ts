import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { onEachDatabase } from '../test/each-database.ts'
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

test('files are numbered one after another, each number once', async () => {
  const numbers = (await migrationFiles()).map(({ name }) => Number(name.slice(0, 4)))
  expect(numbers).toEqual(numbers.map((_, index) => index + 1))
})
