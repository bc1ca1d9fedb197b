import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeTestUsers, pidsOf, type TestUsers } from '../conformance/test-users.ts'
import type { Executor, JobSighting } from '../executor.ts'
import { type JobSpec, logFile } from '../job-spec.ts'
import { localExecutor } from './local-executor.ts'
import { isolationProblem } from './task-command.ts'

const PATIENCE = { timeout: 30_000 }

describe.skipIf(process.getuid?.() !== 0)('jobs of a user on this machine', { timeout: 60_000 }, () => {
  let users: TestUsers
  let executor: Executor
  const directory = mkdtempSync(join(tmpdir(), 'local-users-'))

  beforeAll(() => {
    users = makeTestUsers() ?? expect.fail('no users')
    const environment = { PATH: process.env['PATH'] ?? '', HOME: '/elsewhere/administrator' }
    executor = localExecutor({ directory, environment, fleet: { nodes: ['l1', 'l2'], slots: 8 }, users: users.users })
  })
  afterAll(() => {
    users.remove()
    rmSync(directory, { recursive: true, maxRetries: 5 })
  })

  const jobOf = (key: string, script: string, env: Readonly<Record<string, string>> = {}): JobSpec => {
    const [name] = users.names
    const home = users.folderOf(name)
    const argv = ['/bin/sh', '-c', script]
    return { key, nodes: 1, processesPerNode: 1, exclude: [], argv, env, directory: home, logDirectory: join(home, key), user: { name } }
  }
  const ended = async (spec: JobSpec): Promise<JobSighting | undefined> => {
    expect(await executor.submit(spec)).toMatchObject({ answer: 'submitted' })
    const sighting = async (): Promise<JobSighting | undefined> => {
      const seen = await executor.sightings([spec.key])
      return seen.answer === 'seen' ? seen.jobs.get(spec.key) : undefined
    }
    await expect.poll(async () => (await sighting())?.state, PATIENCE).toBe('ended')
    return sighting()
  }

  test.each([
    ['exits', 'exit 7', { how: 'failed', exit: 7 }],
    ['dies', 'kill -9 $$', { how: 'failed', exit: 137 }],
    ['completes', 'true', { how: 'completed' }],
  ])('one that %s is seen to', async (key, script, how) => {
    expect(await ended(jobOf(key, script))).toEqual({ state: 'ended', ...how })
  })

  test('its environment reaches it as it is, and reaches no process of root', async () => {
    const env = { ODD: `it's "odd" $HOME \`id\` \\ \n* two lines`, LD_PRELOAD: '/nowhere/evil.so' }
    const script = 'printf "<%s|%s|%s>" "$ODD" "$LD_PRELOAD" "$HOME"'
    const spec = jobOf('environment', script, env)
    await ended(spec)
    const text = readFileSync(logFile(spec, 0), 'utf8')
    expect(text).toContain(`<${env.ODD}|${env.LD_PRELOAD}|${users.folderOf(users.names[0])}>`)
    // Root's commands would complain before they have opened the log.
    expect(readFileSync(join(directory, 'launchers.log'), 'utf8')).not.toContain('evil')
  })

  test('a log that is a link to a file of somebody else is not written through', async () => {
    const target = join(users.folder, 'of-root')
    writeFileSync(target, 'untouched', { mode: 0o600 })
    const spec = jobOf('linked', 'echo overwritten')
    await ended(jobOf('first', `mkdir -p '${spec.logDirectory}'; ln -s '${target}' '${logFile(spec, 0)}'`))
    expect(await ended(spec)).toEqual({ state: 'ended', how: 'failed', exit: expect.any(Number) })
    expect(readFileSync(target, 'utf8')).toBe('untouched')
  })

  test.skipIf(isolationProblem() !== undefined)('it sees no processes but its own, and leaves none behind', async () => {
    const spec = jobOf('alone', 'ls -d /proc/[0-9]* | wc -l; setsid sleep 300 & sleep 0.2; exit 0')
    await ended(spec)
    expect(Number(readFileSync(logFile(spec, 0), 'utf8').trim())).toBeLessThan(10)
    const [user] = users.users.values()
    await expect.poll(() => pidsOf(user?.uid ?? 0), PATIENCE).toEqual([])
  })

  test('a directory that it may not enter ends it', async () => {
    const link = join(users.folder, 'link')
    symlinkSync(directory, link)
    expect(await ended({ ...jobOf('elsewhere', 'pwd'), directory: link })).toEqual({ state: 'ended', how: 'failed', exit: 126 })
  })
})
