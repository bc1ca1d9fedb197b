// What every storage must do, as one suite that each implementation runs.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mapAhead } from './look-ahead.ts'
import { byKey } from './object-key.ts'
import type { ObjectStorage } from './object-storage.ts'
import { openStorage } from './open-storage.ts'

export type StorageRig = {
  readonly url: string
  readonly environment: NodeJS.ProcessEnv
  readonly stop: () => Promise<void>
}

const TIMEOUT_MS = 120_000
const WRITER = fileURLToPath(new URL('endless-writer.fixture.ts', import.meta.url))
const WRITER_BYTES = 24 * 1024 * 1024

const HOSTILE_KEYS = [
  ['an empty key', ''],
  ['an absolute path', '/etc/passwd'],
  ['a way out', '../outside'],
  ['a way out in the middle', 'a/../../outside'],
  ['an empty part', 'a//b'],
  ['a slash at the end', 'a/'],
  ['a dot', './a'],
  ['a NUL byte', 'a\0b'],
  ['a line break', 'a\nb'],
  ['a backslash', String.raw`..\outside`],
  ['half a character', 'a\uD800'],
  ['a key that is too long', 'k'.repeat(2000)],
  ['a part that is too long', `a/${'k'.repeat(300)}`],
  ['what is not finished', '.staging/a'],
] as const

const ODD_NAMES = [
  'a b', 'a+b', 'a%20b', 'a%2Fb', 'a&amp;b', 'a<b>', `'"`, 'a=b?c#d', '~!*()', ';:@,$', 'ü', '日本', '😀', '-', '.hidden', '[x]{y}', '^`|',
] // oxfmt-ignore

export function objectStorageConformance(name: string, start: () => Promise<StorageRig>): void {
  describe(`${name} storage`, { timeout: TIMEOUT_MS }, () => {
    let rig: StorageRig
    let storage: ObjectStorage
    beforeAll(async () => {
      rig = await start()
      storage = openStorage(rig.url, rig.environment)
    }, TIMEOUT_MS)
    afterAll(() => rig.stop(), TIMEOUT_MS)
    testContent(() => storage)
    testWriters(() => storage)
    testKeys(() => storage)
    testList(() => storage)
    test('a writer that is killed leaves whole objects or none', () => killWriters(rig, storage))
  })
}

function testContent(storage: () => ObjectStorage): void {
  test.each([0, 1, 70_000])('an object of %i bytes comes back as it was', async (bytes) => {
    const content = Buffer.from(Array.from({ length: bytes }, (_, index) => index % 251))
    await storage().put(`content/${bytes}`, content)
    expect((await storage().get(`content/${bytes}`))?.equals(content)).toBe(true)
    expect(await storage().has(`content/${bytes}`)).toBe(true)
  })

  test('what is under a key is replaced', async () => {
    await storage().put('replaced', Buffer.from('one'))
    await storage().put('replaced', Buffer.from('another'))
    expect(String(await storage().get('replaced'))).toBe('another')
  })

  test('what is not there is no error', async () => {
    expect(await storage().get('absent/object')).toBeUndefined()
    expect(await storage().has('absent/object')).toBe(false)
    await storage().remove('absent/object')
    expect(await Array.fromAsync(storage().list('absent/'))).toEqual([])
  })

  test('a removed object is gone', async () => {
    await storage().put('removed/object', Buffer.from('x'))
    await storage().remove('removed/object')
    expect(await storage().has('removed/object')).toBe(false)
    expect(await storage().get('removed/object')).toBeUndefined()
    await storage().remove('removed/object')
  })
}

function testWriters(storage: () => ObjectStorage): void {
  test('of twenty writers of a new object exactly one writes', async () => {
    for (const round of [1, 2, 3]) {
      const key = `race/${round}`
      const contents = Array.from({ length: 20 }, (_, index) => Buffer.alloc(10_000, index))
      const results = await Promise.all(contents.map((content) => storage().putNew(key, content)))
      expect(results.filter((result) => result === 'written')).toHaveLength(1)
      expect((await storage().get(key))?.equals(contents[results.indexOf('written')] ?? Buffer.alloc(0))).toBe(true)
    }
  })

  test('a new object does not replace one', async () => {
    await storage().put('present', Buffer.from('first'))
    expect(await storage().putNew('present', Buffer.from('second'))).toBe('exists')
    expect(String(await storage().get('present'))).toBe('first')
  })

  test('readers see one of the contents that are written at the same time, never a mixture', async () => {
    const contents = Array.from({ length: 8 }, (_, index) => Buffer.alloc(300_000, index + 1))
    const writers = Promise.all(contents.map((content) => storage().put('contested', content)))
    for (let reads = 0; reads < 20; reads += 1) {
      const content = await storage().get('contested')
      if (content !== undefined) expect(contents.some((each) => each.equals(content))).toBe(true)
    }
    await writers
  })
}

function testKeys(storage: () => ObjectStorage): void {
  test.each(HOSTILE_KEYS)('refuses %s', async (_, key) => {
    const refused = { code: 'IL_STORAGE' }
    await expect(storage().put(key, Buffer.from('x'))).rejects.toMatchObject(refused)
    await expect(storage().putNew(key, Buffer.from('x'))).rejects.toMatchObject(refused)
    await expect(storage().get(key)).rejects.toMatchObject(refused)
    await expect(storage().has(key)).rejects.toMatchObject(refused)
    await expect(storage().remove(key)).rejects.toMatchObject(refused)
  })

  test.each(ODD_NAMES)('keeps the key %s', async (name) => {
    await storage().put(`odd/${name}/${name}`, Buffer.from(name))
    expect(String(await storage().get(`odd/${name}/${name}`))).toBe(name)
    expect((await Array.fromAsync(storage().list(`odd/${name}/`))).map(({ key }) => key)).toEqual([`odd/${name}/${name}`])
  })
}

function testList(storage: () => ObjectStorage): void {
  test('lists more keys than one page holds, in their order, with size and time', async () => {
    const keys = Array.from({ length: 1100 }, (_, index) => `list/${(index * 7919) % 1100}${ODD_NAMES[index % ODD_NAMES.length]}`)
    const began_at = Date.now() / 1000
    await Array.fromAsync(mapAhead(keys, 16, (key) => storage().put(key, Buffer.from(key))))
    const objects = await Array.fromAsync(storage().list('list/'))
    expect(objects.map(({ key }) => key)).toEqual(keys.toSorted(byKey))
    for (const { key, bytes, modified_at } of objects) {
      expect(bytes).toBe(Buffer.byteLength(key))
      expect(Math.abs(modified_at - began_at)).toBeLessThan(TIMEOUT_MS / 1000)
    }
  })

  test('a prefix may end within a name', async () => {
    for (const key of ['within/ab', 'within/abc', 'within/ac', 'within/abd/e']) await storage().put(key, Buffer.from('x'))
    expect((await Array.fromAsync(storage().list('within/ab'))).map(({ key }) => key)).toEqual(['within/ab', 'within/abc', 'within/abd/e'])
  })
}

/** Each is killed at another moment of its writing. */
async function killWriters(rig: StorageRig, storage: ObjectStorage): Promise<void> {
  for (const after_ms of [0, 5, 20, 60, 120]) {
    const args = [WRITER, rig.url, `killed/${after_ms}`, String(WRITER_BYTES)]
    const writer = spawn(process.execPath, args, { env: rig.environment, stdio: ['ignore', 'pipe', 'inherit'] })
    await firstLine(writer)
    await delay(after_ms)
    writer.kill('SIGKILL')
    await once(writer, 'exit')
  }
  for await (const { key, bytes } of storage.list('killed/')) {
    expect(bytes).toBe(WRITER_BYTES)
    const content = await storage.get(key)
    expect(content?.equals(Buffer.alloc(WRITER_BYTES, content[0]))).toBe(true)
  }
}

async function firstLine(process: ChildProcess): Promise<void> {
  if (process.stdout === null) throw new Error('the writer has no output')
  const lines = createInterface({ input: process.stdout })
  await once(lines, 'line')
}
