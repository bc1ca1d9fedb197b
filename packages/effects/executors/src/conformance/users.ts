// Jobs of users: each runs as its own, and none gets at another's files or processes.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type JobSpec, logFile } from '../job-spec.ts'
import type { Bench } from './bench.ts'
import { pidsOf, type TestUsers } from './test-users.ts'

const SKIPPED = 'needs root, which makes users for the test'

export function testUsers(bench: Bench): void {
  const jobOf = ({ folderOf }: TestUsers, name: string, script: string): JobSpec => {
    const spec = bench.job({ does: 'run', for_s: 300 }, { user: { name }, directory: folderOf(name), argv: ['/bin/sh', '-c', script] })
    return { ...spec, logDirectory: join(folderOf(name), `${spec.key} logs`) }
  }
  const printed = async (spec: JobSpec, end: string): Promise<string> => {
    const text = (): string => (existsSync(logFile(spec, 0)) ? readFileSync(logFile(spec, 0), 'utf8') : '')
    for (let tries = 0; tries < 200 && !text().includes(end); tries += 1) await bench.rig.pass(0.1)
    return text()
  }
  const endOf = async (spec: JobSpec): Promise<string> => {
    const { name = '' } = spec.user ?? {}
    expect(await bench.rig.executor.cancel(spec.key, name)).toEqual({ answer: 'done' })
    for (let tries = 0; ; tries += 1) {
      const seen = await bench.rig.executor.sightings([spec.key], new Map([[spec.key, name]]))
      const state = seen.answer === 'seen' ? (seen.jobs.get(spec.key)?.state ?? '') : seen.reason
      if (state === 'ended' || tries > 200) return state
      await bench.rig.pass(0.1)
    }
  }

  test('a job runs as its user, and reaches neither the files nor the processes of another', async ({ skip }) => {
    const { users } = bench.rig
    if (users === undefined) return skip(SKIPPED)
    const [a, b] = users.names
    writeFileSync(join(users.folderOf(b), 'secret'), 'of b')
    const other = jobOf(users, b, 'echo "pid $$ end"; exec sleep 300')
    await bench.submitJob(other)
    await printed(other, 'end')
    const [{ uid = 0 } = {}] = [users.users.get(b)]
    const pids = pidsOf(uid)
    expect(pids).not.toEqual([])
    const script = [
      'echo "user $(id -un) home $HOME"; touch mine && echo wrote',
      `cat '${users.folderOf(b)}/secret' && echo READ; ls '${users.folder}' && echo LISTED`,
      `for pid in ${pids.join(' ')}; do kill -9 "$pid" && echo KILLED; done`,
      'echo end; exec sleep 300',
    ].join('; ')
    const spec = jobOf(users, a, script)
    await bench.submitJob(spec)
    const text = await printed(spec, 'end\n')
    expect(text).toContain(`user ${a} home ${users.folderOf(a)}\nwrote`)
    expect(text).not.toMatch(/READ|LISTED|KILLED/)
    expect(pidsOf(uid)).toEqual(pids)
    expect([await endOf(spec), await endOf(other)]).toEqual(['ended', 'ended'])
  })

  test('a job of one user is not taken for that of another, nor cancelled in its name', async ({ skip }) => {
    const { users, executor } = bench.rig
    if (users === undefined) return skip(SKIPPED)
    if (bench.rig.withoutOwners !== undefined) return skip(bench.rig.withoutOwners)
    const [a, b] = users.names
    const spec = jobOf(users, a, 'exec sleep 300')
    await bench.submitJob(spec)
    const stateFor = async (owner: string | undefined): Promise<unknown> => {
      const seen = await executor.sightings([spec.key], new Map(owner === undefined ? [] : [[spec.key, owner]]))
      return seen.answer === 'seen' && seen.jobs.get(spec.key)?.state
    }
    for (const owner of [b, undefined]) {
      expect(await stateFor(owner)).toBe('absent')
      expect(await executor.cancel(spec.key, owner)).toEqual({ answer: 'done' })
    }
    expect(['pending', 'running']).toContain(await stateFor(a))
    expect(await endOf(spec)).toBe('ended')
  })
}

export function testUnlistedUsers(bench: Bench): void {
  test('a job of a user that no list names is refused by name', async ({ skip }) => {
    if (bench.rig.users === undefined) return skip(SKIPPED)
    for (const name of ['root', 'nobody', 'no-such-user']) {
      const spec = bench.job({ does: 'run', for_s: 300 }, { user: { name } })
      expect(await bench.rig.executor.submit(spec)).toMatchObject({ answer: 'refused', field: 'user' })
      expect(await bench.rig.count(spec.key)).toBe(0)
    }
  })
}
