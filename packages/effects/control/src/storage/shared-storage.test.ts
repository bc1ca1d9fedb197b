import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { CAN_HANG, type HangingFiles, hangingFiles, makePipe } from '../../test/hanging-files.ts'
import { type SharedStorage, sharedStorage, STORAGE_LIMITS } from './shared-storage.ts'

const TIMEOUT_MS = 60_000
const directory = mkdtempSync(join(tmpdir(), 'ironlaw-storage-'))
const inside = (name: string): string => join(directory, name)
const opened: SharedStorage[] = []
const mounted: HangingFiles[] = []
const problems: string[] = []

afterEach(async () => {
  for (const each of mounted.splice(0)) await each.release()
  for (const each of opened.splice(0)) each.close()
  problems.length = 0
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function storageWith(limits: Partial<typeof STORAGE_LIMITS> = {}): SharedStorage {
  const storage = sharedStorage((problem) => problems.push(problem), { ...STORAGE_LIMITS, ...limits })
  opened.push(storage)
  return storage
}

/** The processes of this one that touch storage. */
const processes = (): readonly number[] =>
  readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
    .split(' ')
    .filter((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('storage/child.ts'))
    .map(Number)

describe('what a job may put into its directory', () => {
  test('a regular file is read; a pipe, a link, a directory and a file too large are none', { timeout: TIMEOUT_MS }, async () => {
    const storage = storageWith()
    writeFileSync(inside('file'), 'text')
    writeFileSync(inside('large'), 'x'.repeat(101))
    makePipe(inside('pipe'))
    symlinkSync('/etc/passwd', inside('link'))
    mkdirSync(inside('folder'))
    const read = (name: string) => storage.perform('read', { file: inside(name), limit_bytes: 100 })
    expect(await read('file')).toEqual({ value: 'text' })
    for (const name of ['large', 'pipe', 'link', 'folder', 'none', 'file/below']) expect(await read(name), name).toEqual({ value: null })
  })

  test('reports are taken in order, up to a limit, and only those that agents write', { timeout: TIMEOUT_MS }, async () => {
    const storage = storageWith()
    for (const name of ['node-1/2.json', 'node-0/1.json', 'node-0/x.txt', 'other/1.json']) {
      mkdirSync(inside(`spool/${name.split('/')[0]}`), { recursive: true })
      writeFileSync(inside(`spool/${name}`), name)
    }
    makePipe(inside('spool/node-0/3.json'))
    const all = await storage.perform('readAll', { directory: inside('spool'), files: 10, limit_bytes: 100 })
    expect('value' in all && all.value.map(({ text }) => text)).toEqual(['node-0/1.json', 'node-1/2.json'])
    const few = await storage.perform('readAll', { directory: inside('spool'), files: 1, limit_bytes: 100 })
    expect('value' in few && few.value.length).toBeLessThanOrEqual(1)
  })

  test('what is written is whole and private', { timeout: TIMEOUT_MS }, async () => {
    const storage = storageWith()
    expect(await storage.perform('writePrivate', { file: inside('new/token'), text: 'secret' })).toEqual({ value: null })
    expect([readFileSync(inside('new/token'), 'utf8'), statSync(inside('new/token')).mode & 0o777]).toEqual(['secret', 0o600])
    expect(readdirSync(inside('new'))).toEqual(['token'])
  })

  test('storage that is not mounted is distinguished from empty storage', { timeout: TIMEOUT_MS }, async () => {
    const storage = storageWith()
    const runs = inside('runs')
    await storage.perform('mark', { directory: runs })
    expect(await storage.perform('probe', { directory: runs })).toEqual({ value: true })
    rmSync(runs, { recursive: true })
    mkdirSync(runs)
    expect(await storage.perform('probe', { directory: runs })).toEqual({ value: false })
  })
})

describe('storage that hangs', () => {
  test('a process that stands still is replaced, and the next request is answered', { timeout: TIMEOUT_MS }, async () => {
    // Other files of tests in this process may have some of their own.
    const others = new Set(processes())
    const storage = storageWith({ answer_ms: 2000 })
    writeFileSync(inside('file'), 'text')
    const read = () => storage.perform('read', { file: inside('file'), limit_bytes: 100 })
    await read()
    const pid = processes().find((each) => !others.has(each))
    if (pid === undefined) throw new Error('the storage has no process of its own')
    process.kill(pid, 'SIGSTOP')
    expect(await read()).toEqual({ away: 'no answer for 2 s' })
    expect(await read()).toEqual({ value: 'text' })
    await vi.waitFor(() => expect(storage.stuck()).toBe(0))
    expect(problems).toEqual([
      'storage: read did not answer for 2 s; its process was ended',
      'storage: a call that hung has come back; 0 still hang',
    ])
  })

  test.skipIf(!CAN_HANG)(
    'calls that no signal ends are put up with to a number, then storage is away at once, until it is back',
    { timeout: TIMEOUT_MS },
    async () => {
      const hanging = await hangingFiles()
      mounted.push(hanging)
      writeFileSync(inside('file'), 'text')
      const storage = storageWith({ answer_ms: 2000, stuck: 2, processes: 3 })
      const read = (file: string) => storage.perform('read', { file, limit_bytes: 100 })
      await read(inside('file'))
      const outcomes = await Promise.all(['a', 'b'].map((name) => read(join(hanging.directory, name))))
      expect(outcomes).toEqual([{ away: 'no answer for 2 s' }, { away: 'no answer for 2 s' }])
      expect(storage.stuck()).toBe(2)
      const at = performance.now()
      const next = await Promise.all(Array.from({ length: 100 }, () => read(inside('file'))))
      expect(next.every((each) => 'away' in each && each.away === '2 calls hang')).toBe(true)
      expect(performance.now() - at).toBeLessThan(1000)
      expect(processes().length).toBeLessThanOrEqual(3)
      await hanging.release()
      await vi.waitFor(() => expect(storage.stuck()).toBe(0), { timeout: 10_000 })
      expect(await read(inside('file'))).toEqual({ value: 'text' })
    },
  )
})
