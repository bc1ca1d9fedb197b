// A control plane of two teams: real agents as two Unix users, on this machine and on a real Slurm.

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RUN, type RunView } from '@ironlaw/contracts/api'
import { planId } from '@ironlaw/contracts'
import { localExecutor } from '@ironlaw/executors/local'
import { slurmExecutor } from '@ironlaw/executors/slurm'
import { migrate, openEmbedded } from '@ironlaw/store'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { makeTestUsers, type TestUsers } from '../packages/effects/executors/src/conformance/test-users.ts'
import { startCluster } from '../packages/effects/executors/src/slurm/testbed.fixture.ts'
import { readJobUsers } from '../packages/apps/server/src/job-users.ts'
import { type Server, type ServerOptions, startServer } from '../packages/apps/server/src/start-server.ts'

const TIMEOUT_MS = 180_000
const PYTHON_SDK = join(import.meta.dirname, '../python')
const folder = mkdtempSync(join(tmpdir(), 'ironlaw-teams-'))
const users = makeTestUsers()
const cleanups: (() => unknown)[] = []

chmodSync(folder, 0o711)
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
}, TIMEOUT_MS)
afterAll(() => {
  users?.remove()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}, TIMEOUT_MS)

type Backend = Pick<ServerOptions, 'executor'>

const BACKENDS: Readonly<Record<string, (at: string, made: TestUsers) => Promise<Backend>>> = {
  local: async (at, made) => {
    const environment = { PATH: process.env['PATH'] ?? '', HOME: '/elsewhere' }
    return { executor: localExecutor({ directory: join(at, 'jobs'), fleet: { nodes: ['n1'], slots: 8 }, environment, users: made.users }) }
  },
  slurm: async (_, made) => {
    const cluster = await startCluster(2)
    cleanups.push(() => cluster.testbed('down'))
    return { executor: slurmExecutor({ environment: cluster.environment, users: made.users }) }
  },
}

async function startPlane(at: string, options: Partial<ServerOptions> & Backend, teams?: object) {
  const database = join(at, 'database')
  const opened = await openEmbedded(database)
  await migrate(opened)
  if (teams)
    await opened
      .insertInto('teams_documents')
      .values({ number: 1, body: JSON.stringify(teams), etag: 'x', created_at: 0 })
      .execute()
  await opened.destroy()
  const lines: string[] = []
  const server: Server = await startServer({
    database,
    listen: { host: '127.0.0.1', port: 0 },
    cluster: 'test',
    site: { runs: join(at, 'runs'), python: '/usr/bin/python3', pythonPath: PYTHON_SDK },
    logDirectory: join(at, 'logs'),
    contextFile: join(at, 'context.json'),
    logTo: { write: (line) => void lines.push(line) },
    ...options,
  })
  cleanups.push(() => server.close())
  const { api, token } = JSON.parse(readFileSync(join(at, 'context.json'), 'utf8'))
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const ask = async (path: string, body?: object): Promise<unknown> =>
    (await fetch(`${api}${path}`, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) })).json()
  return {
    lines,
    submit: async (project: string, script: string): Promise<RunView> => {
      const content = { apiVersion: 'ironlaw/v1', kind: 'Job', name: project, processes: 1 } as const
      const program = { argv: ['/bin/sh', '-c', script], directory: '/', environment: {} }
      const shape = { nodes: 1, processesPerNode: 1, retries: 0 }
      const answer = await ask('/v1/runs', { name: project, project, plan: { ...content, id: planId(content) }, program, shape })
      const run = RUN.safeParse(answer)
      if (!run.success) throw new Error(JSON.stringify(answer))
      return run.data
    },
    run: async (id: string): Promise<RunView> => RUN.parse(await ask(`/v1/runs/${id}`)),
    cancel: (id: string): Promise<unknown> => ask(`/v1/runs/${id}/cancel`, {}),
  }
}

const teamsOf = ([a, b]: readonly [string, string]) => ({
  administrators: [],
  teams: [
    { name: 'a', projects: ['search'], user: a, members: [] },
    { name: 'b', projects: ['ads'], user: b, account: 'ads', members: [] },
    { name: 'c', projects: ['userless'], members: [] },
    { name: 'd', projects: ['unlisted'], user: 'nobody', members: [] },
  ],
})

describe.skipIf(users === undefined).each(Object.entries(BACKENDS))('jobs of two teams: %s', { timeout: TIMEOUT_MS }, (name, backend) => {
  test('each runs as its own user, in a directory that the other cannot enter', async () => {
    const made = users ?? expect.fail('no users')
    const at = join(folder, name)
    mkdirSync(at)
    chmodSync(at, 0o711)
    const plane = await startPlane(at, { ...(await backend(at, made)), jobUsers: made.users }, teamsOf(made.names))
    const runs = join(at, 'runs')
    const first = await plane.submit('search', 'echo "$(id -un) $HOME" > "$IRONLAW_RUN_DIR/who"; sleep 600')
    const who = join(runs, first.id, 'who')
    await expect.poll(() => existsSync(who) && readFileSync(who, 'utf8'), { timeout: TIMEOUT_MS / 3 }).toContain(made.names[0])
    expect(readFileSync(who, 'utf8').trim()).toBe(`${made.names[0]} ${made.folderOf(made.names[0])}`)
    const uid = made.users.get(made.names[0])?.uid
    expect([statSync(join(runs, first.id)), statSync(join(runs, first.id, 'token'))].map((each) => [each.uid, each.mode & 0o777])).toEqual([
      [uid, 0o700],
      [uid, 0o600],
    ])
    expect(statSync(runs).mode & 0o777).toBe(0o711)

    const tries = [
      `cat ${runs}/${first.id}/token`,
      `ls ${runs}`,
      `ls ${runs}/${first.id}`,
      `touch ${runs}/${first.id}/x`,
      `touch ${runs}/x`,
    ]
    const script = `${tries.map((each) => `${each} && echo REACHED >> "$IRONLAW_RUN_DIR/reached"`).join('; ')}; id -un > "$IRONLAW_RUN_DIR/who"`
    const second = await plane.submit('ads', script)
    await expect.poll(async () => (await plane.run(second.id)).state, { timeout: TIMEOUT_MS / 3 }).toBe('succeeded')
    expect(readFileSync(join(runs, second.id, 'who'), 'utf8').trim()).toBe(made.names[1])
    expect(existsSync(join(runs, second.id, 'reached'))).toBe(false)

    for (const [project, reason] of [
      ['userless', 'team "c" has no user'],
      ['unlisted', 'jobs may not run as "nobody"'],
    ] as const) {
      const { id } = await plane.submit(project, 'true')
      await expect.poll(async () => (await plane.run(id)).state, { timeout: TIMEOUT_MS / 3 }).toBe('failed')
      expect(JSON.stringify(await plane.run(id))).toContain(JSON.stringify(reason).slice(1, -1))
      expect(existsSync(join(runs, id))).toBe(false)
    }
    await expect(plane.submit('nowhere', 'true')).rejects.toThrow('IL_INVALID')
    await plane.cancel(first.id)
    await expect.poll(async () => (await plane.run(first.id)).state, { timeout: TIMEOUT_MS / 3 }).toBe('cancelled')
    expect(plane.lines.join('')).toContain('jobs run as the user of their team')
  })
})

describe('without a list of users', { timeout: TIMEOUT_MS }, () => {
  const backend = (at: string): Backend => {
    const environment = { PATH: process.env['PATH'] ?? '' }
    return { executor: localExecutor({ directory: join(at, 'jobs'), fleet: { nodes: ['n1'], slots: 8 }, environment }) }
  }
  const endOf = async (plane: Awaited<ReturnType<typeof startPlane>>): Promise<string> => {
    const { id } = await plane.submit('search', 'true')
    await expect.poll(async () => (await plane.run(id)).state, { timeout: TIMEOUT_MS / 3 }).toMatch(/succeeded|failed/)
    return JSON.stringify(await plane.run(id))
  }

  test('jobs are refused where there are teams, unless all are known to be one user', async () => {
    const [refusing, single] = [join(folder, 'teams'), join(folder, 'single')]
    const teams = teamsOf(['x', 'y'])
    expect(await endOf(await startPlane(refusing, backend(refusing), teams))).toContain(
      'runs no jobs as its own user where there are teams',
    )
    expect(await endOf(await startPlane(single, { ...backend(single), singleUser: true }, teams))).toContain('"state":"succeeded"')
  })

  test('jobs are refused beyond loopback, and run as before on it', async () => {
    const [open, alone] = [join(folder, 'open'), join(folder, 'alone')]
    const listen = { host: '0.0.0.0', port: 0 }
    const plane = await startPlane(open, { ...backend(open), listen })
    expect(await endOf(plane)).toContain('beyond loopback')
    expect(plane.lines.join('')).toContain('no jobs are run: start')
    const before = await startPlane(alone, backend(alone))
    expect(await endOf(before)).toContain('"state":"succeeded"')
    expect(before.lines.join('')).toContain('all jobs run as the user of the control plane')
  })
})

test.each([
  ['root', 'is root'],
  ['no-such-user', 'no Unix user "no-such-user"'],
  ['daemon', 'daemon:1'],
  ['daemon:2', 'has the uid 1, not 2'],
  ['', 'no Unix user ""'],
])('--job-users %s is refused', (list, problem) => {
  expect(() => readJobUsers({ 'job-users': list })).toThrow(process.getuid?.() === 0 ? problem : 'only root')
})

test.skipIf(process.getuid?.() !== 0)('--job-users is a list of names, and of accounts of the system with their numbers', () => {
  expect([...(readJobUsers({ 'job-users': 'nobody, daemon:1' }).jobUsers?.keys() ?? [])]).toEqual(['nobody', 'daemon'])
  expect(() => readJobUsers({ 'job-users': 'nobody', 'single-user': true })).toThrow('give one of them')
})
