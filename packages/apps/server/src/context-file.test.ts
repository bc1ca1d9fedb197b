import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readContexts } from '@ironlaw/contracts/control-contexts'
import { type Database, migrate, openEmbedded } from '@ironlaw/store'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { saveContext } from './context-file.ts'

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-context-'))
const file = join(directory, 'home/context.json')
const [A, B] = ['http://127.0.0.1:7600', 'http://127.0.0.1:7700']
let first: Database
beforeAll(async () => {
  first = await openEmbedded('memory')
  await migrate(first)
}, 180_000)
afterAll(async () => {
  await first.destroy()
  rmSync(directory, { recursive: true })
})

const entriesIn = (path: string) => readContexts(JSON.parse(readFileSync(path, 'utf8')))?.entries

test('two control planes of one machine keep a context each, over restarts and at other addresses', async () => {
  const one = await saveContext(first, { file, api: A, at: 1 })
  expect([one.name, one.current, statSync(file).mode & 0o777]).toEqual(['local', 'local', 0o600])
  expect(await saveContext(first, { file, api: B, at: 2 })).toEqual(one)
  // As one with another database leaves it.
  const other = { api: A, token: `il_${'x'.repeat(43)}`, madeBy: 'up' }
  writeFileSync(file, JSON.stringify({ name: 'local', ...other, others: {} }))
  const two = await saveContext(first, { file, api: B, at: 3 })
  expect([two.name, two.current]).toEqual(['local-7700', 'local-7700'])
  expect(entriesIn(file)?.get('local')).toEqual(other)
  expect(await saveContext(first, { file, api: B, at: 4 })).toEqual(two)
})

test('a file from before contexts had names keeps its token', async () => {
  const { token } = await saveContext(first, { file, api: A, at: 5 })
  writeFileSync(file, JSON.stringify({ api: A, token }))
  expect(await saveContext(first, { file, api: A, at: 6 })).toMatchObject({ name: 'local', token })
})

test('a remote context stays the current one, and is never written over', async () => {
  const remote = { api: A, token: 'il_remote' }
  writeFileSync(file, JSON.stringify({ name: 'local', ...remote, others: {} }))
  const kept = await saveContext(first, { file, api: A, at: 7 })
  expect(kept).toMatchObject({ name: 'local-7600', current: 'local' })
  expect(entriesIn(file)?.get('local')).toEqual(remote)
})

test.each(['', '{', '[]', '{"others":{"x":{}}}'])('%j is not written over', async (text) => {
  writeFileSync(file, text)
  await expect(saveContext(first, { file, api: A, at: 8 })).rejects.toThrow('it does not hold addresses and tokens')
  expect(readFileSync(file, 'utf8')).toBe(text)
})
