import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { objectStorageConformance } from './object-storage.conformance.ts'
import { openStorage } from './open-storage.ts'

const folder = mkdtempSync(join(tmpdir(), 'storage-'))
afterAll(() => rmSync(folder, { recursive: true }))

objectStorageConformance('directory', async () => {
  const root = mkdtempSync(join(folder, 'conformance-'))
  return { url: root, environment: process.env, stop: async () => rmSync(root, { recursive: true }) }
})

test('a file:// URL is a directory, which is made when it is written to', async () => {
  await openStorage(`file://${folder}/with%20space`).put('a/b', Buffer.from('x'))
  expect(readdirSync(join(folder, 'with space/a'))).toEqual(['b'])
})

test.each(['', 'https://host/path', 'gs://bucket'])('refuses the address "%s"', (url) => {
  expect(() => openStorage(url)).toThrow(expect.objectContaining({ code: 'IL_STORAGE', next: 'give a directory, or s3://bucket/prefix' }))
})

test('objects cannot be written to, and directories are as open as the root', async () => {
  const root = join(folder, 'modes')
  mkdirSync(root)
  chmodSync(root, 0o2775)
  await openStorage(root).put('a/b/c', Buffer.from('x'))
  expect(statSync(join(root, 'a/b/c')).mode & 0o7777).toBe(0o444)
  for (const directory of ['a', 'a/b', '.staging']) expect(statSync(join(root, directory)).mode & 0o7777).toBe(0o2775)
})

test('what a killed writer left is removed after a day, and is never listed', async () => {
  const root = join(folder, 'stale')
  const staging = join(root, '.staging')
  mkdirSync(staging, { recursive: true })
  for (const name of ['old', 'new']) writeFileSync(join(staging, name), 'part')
  utimesSync(join(staging, 'old'), 0, 0)
  await openStorage(root).put('a', Buffer.from('x'))
  expect(readdirSync(staging)).toEqual(['new'])
  expect((await Array.fromAsync(openStorage(root).list(''))).map(({ key }) => key)).toEqual(['a'])
})

test('a key that lies under an object says so', async () => {
  const storage = openStorage(join(folder, 'under'))
  await storage.put('a', Buffer.from('x'))
  await expect(storage.put('a/b', Buffer.from('x'))).rejects.toMatchObject({ code: 'IL_WRITE' })
  expect(await storage.get('a/b')).toBeUndefined()
})

const mayMount = process.getuid?.() === 0 && mountable()

test.skipIf(!mayMount)('a full disk is named, and leaves no part of an object', async () => {
  const root = join(folder, 'full')
  mkdirSync(root)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', root])
  try {
    const storage = openStorage(root)
    await expect(storage.put('large', Buffer.alloc(4 * 1024 * 1024))).rejects.toMatchObject({ code: 'IL_DISK_FULL' })
    expect(await Array.fromAsync(storage.list(''))).toEqual([])
    await storage.put('small', Buffer.from('x'))
  } finally {
    execFileSync('umount', [root])
  }
})

function mountable(): boolean {
  const probe = mkdtempSync(join(tmpdir(), 'mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', probe], { stdio: 'ignore' })
    execFileSync('umount', [probe])
    return true
  } catch {
    // Containers may not mount: the test is skipped.
    return false
  } finally {
    rmSync(probe, { recursive: true })
  }
}
