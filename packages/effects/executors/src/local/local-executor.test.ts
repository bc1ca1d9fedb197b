import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { executorConformance } from '../conformance.ts'
import { shellProgram } from '../conformance/rig.ts'
import { makeTestUsers } from '../conformance/test-users.ts'
import { logFile } from '../job-spec.ts'
import { localExecutor } from './local-executor.ts'
import { identityOf, isAlive, isGroupAlive } from './process.ts'
import { withRegistry } from './registry.ts'

const FLEET = { nodes: ['l1', 'l2', 'l3', 'l4'], slots: 8, devices: { kind: 'gpu:h100', perNode: 4 } }
const ENVIRONMENT = { PATH: process.env['PATH'] ?? '' }
const PATIENCE = { timeout: 15_000 }
const CRASH = join(import.meta.dirname, 'crash.fixture.ts')

const live = (directory: string, key: string): number =>
  withRegistry(directory, (registry) => registry.live().filter(({ job }) => job.key === key).length)

/** A launcher may still be closing the registry. */
const remove = (directory: string): void => rmSync(directory, { recursive: true, maxRetries: 5 })

executorConformance('local', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'local-'))
  const users = makeTestUsers()
  const executor = localExecutor({ directory, fleet: FLEET, environment: ENVIRONMENT, ...users })
  return {
    executor,
    ...FLEET,
    ...(users && { users }),
    withoutOwners: 'nobody else adds to its registry',
    argv: shellProgram,
    pass: (seconds) => sleep(seconds * 1000),
    crash: async (job, when) => {
      const child = spawn(process.execPath, [
        CRASH,
        when,
        JSON.stringify({ directory, fleet: FLEET, environment: ENVIRONMENT }),
        JSON.stringify(job),
      ])
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
    },
    count: async (key) => live(directory, key),
    breakBackend: async () => {
      renameSync(directory, `${directory}-away`)
      return async () => renameSync(`${directory}-away`, directory)
    },
    hasten: async () => undefined,
    stop: async () => {
      remove(directory)
      users?.remove()
    },
  }
})

function rig() {
  const directory = mkdtempSync(join(tmpdir(), 'local-'))
  const executor = localExecutor({ directory, fleet: FLEET, environment: ENVIRONMENT })
  return {
    directory,
    submit: (script: string) =>
      executor.submit({
        key: 'a',
        nodes: 2,
        processesPerNode: 1,
        exclude: [],
        argv: ['/bin/sh', '-c', script],
        env: {},
        directory: '/',
        logDirectory: directory,
      }),
    sighting: async (): Promise<unknown> => {
      const seen = await executor.sightings(['a'])
      return seen.answer === 'seen' && seen.jobs.get('a')
    },
    entry: () => withRegistry(directory, (registry) => registry.entry('a')),
  }
}

test('jobs have a home of their own, and no other user can read their environment', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'local-'))
  onTestFinished(() => remove(directory))
  const executor = localExecutor({ directory, fleet: FLEET, environment: { ...ENVIRONMENT, HOME: '/elsewhere/administrator' } })
  const argv = ['/bin/sh', '-c', 'echo "$HOME"']
  const spec = { nodes: 1, processesPerNode: 1, exclude: [], argv, directory, logDirectory: join(directory, 'logs') }
  for (const [key, env, home] of [
    ['plain', {}, join(directory, 'home')],
    ['chosen', { HOME: '/elsewhere' }, '/elsewhere'],
  ] as const) {
    const job = { ...spec, key, env, logDirectory: join(directory, key) }
    await executor.submit(job)
    await vi.waitFor(() => expect(readFileSync(logFile(job, 0), 'utf8').trim()).toBe(home), PATIENCE)
    // Its launcher would wait for the directory to come back.
    const ended = async () => withRegistry(directory, (registry) => registry.entry(key)?.ended)
    await expect.poll(ended, PATIENCE).toEqual({ state: 'ended', how: 'completed' })
  }
  const modes = ['', 'registry.sqlite', 'home', 'plain'].map((name) => statSync(join(directory, name)).mode & 0o777)
  expect(modes).toEqual([0o700, 0o600, 0o700, 0o700])
})

test('a job survives its launcher as long as its processes live, and is lost with them', async () => {
  const { directory, submit, sighting, entry } = rig()
  await submit('sleep 300 & sleep 300')
  await expect.poll(() => entry()?.processes?.length, PATIENCE).toBe(2)
  const { launcher, processes = [] } = entry() ?? expect.fail()
  process.kill(launcher?.pid ?? expect.fail(), 'SIGKILL')
  await expect.poll(() => launcher && isAlive(launcher), PATIENCE).toBe(false)
  expect(await sighting()).toEqual({ state: 'running', nodes: ['l1', 'l2'], unresponsive: [] })
  for (const { pid } of processes) process.kill(-pid, 'SIGKILL')
  await expect.poll(() => processes.some(isGroupAlive), PATIENCE).toBe(false)
  expect(await sighting()).toEqual({ state: 'ended', how: 'node-failed' })
  remove(directory)
})

test('a launcher survives an absence of the registry and then records how the job ended', async () => {
  const { directory, submit, sighting, entry } = rig()
  await submit('sleep 0.5; exit 3')
  await expect.poll(() => entry()?.processes?.length, PATIENCE).toBe(2)
  renameSync(directory, `${directory}-away`)
  await sleep(600)
  renameSync(`${directory}-away`, directory)
  await expect.poll(sighting, PATIENCE).toEqual({ state: 'ended', how: 'failed', exit: 3 })
  remove(directory)
})

test('what ignores a request to end is killed, and what it started too', async () => {
  const { directory, submit, sighting, entry } = rig()
  await submit('trap "" TERM; sleep 300 & if [ "$IRONLAW_NODE_INDEX" = 1 ]; then sleep 0.2; exit 7; fi; while :; do sleep 1; done')
  await expect.poll(() => entry()?.processes?.length, PATIENCE).toBe(2)
  await expect.poll(sighting, PATIENCE).toEqual({ state: 'ended', how: 'failed', exit: 7 })
  expect(entry()?.processes?.some(isGroupAlive)).toBe(false)
  remove(directory)
})

test('a group of zombies that are never reaped counts as dead', async () => {
  const parent = spawn('sh', ['-c', 'exec 3<&0; setsid sh -c "echo \\$\\$; read line" <&3 & exec sleep 300'])
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [printed]: readonly unknown[] = await once(parent.stdout, 'data')
  const leader = identityOf(Number(String(printed))) ?? expect.fail()
  expect(isGroupAlive(leader)).toBe(true)
  parent.stdin.end('\n')
  await expect.poll(() => isGroupAlive(leader), PATIENCE).toBe(false)
  expect(existsSync(`/proc/${leader.pid}`)).toBe(true)
})

test('a pid that was given out again is another process', () => {
  const self = identityOf(process.pid) ?? expect.fail()
  expect([isAlive(self), isAlive({ ...self, start: `${self.start}1` }), isGroupAlive({ ...self, start: `${self.start}1` })]).toEqual([
    true,
    false,
    false,
  ])
})

const isRoot = process.getuid?.() === 0

test.skipIf(!isRoot)('a full disk is said, and the executor works again once there is room', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'local-full-'))
  execFileSync('/usr/bin/mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', directory])
  onTestFinished(() => {
    execFileSync('/usr/bin/umount', [directory])
    rmSync(directory, { recursive: true })
  })
  const executor = localExecutor({ directory, fleet: FLEET, environment: ENVIRONMENT })
  const filler = join(directory, 'filler')
  expect(() => writeFileSync(filler, Buffer.alloc(1 << 20))).toThrow('ENOSPC')
  expect(await executor.drain('l1', 'x'.repeat(10_000))).toEqual({ answer: 'unreachable', reason: `the disk of ${directory} is full` })
  rmSync(filler)
  expect(await executor.drain('l1', 'maintenance')).toEqual({ answer: 'done' })
})
