import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { makeRegistry, withRegistry, withRegistryUnlessFull } from './registry.ts'

/** As the version of 2026-11-16 wrote it, without a version of the file. */
const ENTRY = {
  job: {
    key: 'r.alloc-1',
    nodes: 2,
    processesPerNode: 1,
    devices: { kind: 'gpu', perNode: 1 },
    exclude: [],
    survivesNodeLoss: true,
    argv: ['/bin/true'],
    env: { A: 'b' },
    directory: '/',
    logDirectory: '/logs',
  },
  launcher: { pid: 7, start: 'boot 1' },
  nodes: ['l1', 'l2'],
  devices: { l1: [0], l2: [1] },
  processes: [{ pid: 8, start: 'boot 2' }],
  ended: { state: 'ended', how: 'failed', exit: 3 },
}

function registryWith(entry: object, version = 0): string {
  const directory = mkdtempSync(join(tmpdir(), 'registry-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  makeRegistry(directory)
  const database = new DatabaseSync(join(directory, 'registry.sqlite'))
  database.exec(`pragma user_version = ${version}`)
  database.prepare("insert into jobs (key, live, entry) values ('r.alloc-1', 1, ?)").run(JSON.stringify(entry))
  database.close()
  return directory
}

test('a registry of an earlier version is read as it is', () => {
  const directory = registryWith(ENTRY)
  makeRegistry(directory)
  expect(withRegistry(directory, (registry) => registry.live())).toEqual([{ ...ENTRY, number: 1 }])
})

test('an entry that cannot be read is an error that names it', () => {
  const directory = registryWith({ ...ENTRY, nodes: 'l1' })
  expect(() => withRegistry(directory, (registry) => registry.live())).toThrow(
    /jobs\.entry number 1 of the registry cannot be read: .*nodes/s,
  )
  expect(withRegistryUnlessFull(directory, (registry) => registry.live())).toMatchObject({ answer: 'unreachable' })
})

test('a registry of a newer version is refused', () => {
  const directory = registryWith(ENTRY, 2)
  expect(() => makeRegistry(directory)).toThrow(/registry\.sqlite cannot be read: its version is 2/)
})
