import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { executorConformance } from '../conformance.ts'
import { makeTestUsers } from '../conformance/test-users.ts'
import type { Executor, JobSighting } from '../executor.ts'
import type { JobSpec } from '../job-spec.ts'
import { slurmExecutor } from '../slurm/slurm-executor.ts'
import { slurmRig } from '../slurm/testbed.fixture.ts'
import { request } from './api.ts'
import { slurmRestExecutor } from './slurm-rest-executor.ts'
import { submissionOf } from './submission.ts'
import { type RestCluster, startRestCluster } from './testbed.fixture.ts'

executorConformance('slurm-rest', async () => {
  const started = await startRestCluster(4)
  // The API cannot drain, which a test below holds; here an administrator's commands do, and the API is to show and respect it.
  const commands = slurmExecutor({ environment: started.environment })
  const users = makeTestUsers()
  const rig = slurmRig(started)
  return {
    executor: {
      ...slurmRestExecutor({ ...started.options, ...(users && { users: users.users, tokens: { keyFile: started.keyFile } }) }),
      drain: (node, reason) => commands.drain(node, reason),
      undrain: (node) => commands.undrain(node),
    },
    ...rig,
    crash: started.crash,
    ...(users && { users }),
    stop: async () => {
      await rig.stop()
      users?.remove()
    },
  }
})

let cluster: RestCluster
let executor: Executor
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slurm-rest-'))
  cluster = await startRestCluster(2)
  executor = slurmRestExecutor(cluster.options)
}, 60_000)
afterAll(async () => {
  await cluster.testbed('down')
  rmSync(folder, { recursive: true })
}, 30_000)

const job = (key: string, change: Partial<JobSpec> = {}): JobSpec => ({
  key,
  nodes: 1,
  processesPerNode: 1,
  exclude: [],
  argv: ['sleep', '300'],
  env: {},
  directory: folder,
  logDirectory: join(folder, key),
  ...change,
})

async function sighting(key: string): Promise<JobSighting | undefined> {
  const seen = await executor.sightings([key])
  return seen.answer === 'seen' ? seen.jobs.get(key) : undefined
}

test('a submission that arrives after it was given up and repeated does not run', async () => {
  await executor.submit(job('late'))
  const body = submissionOf(job('late'), [], { environment: {}, partition: undefined })
  const token = async (): Promise<string> => readFileSync(cluster.options.tokenFile, 'utf8')
  expect(await request({ ...cluster.options, token, timeout_s: 15 }, { method: 'POST', path: 'job/submit', body })).toMatchObject({
    answer: 'replied',
  })
  const [first, second] = await cluster.live('late')
  expect(await cluster.slurm('squeue', '--noheader', '--format=%r', `--jobs=${second}`)).toBe('Dependency')
  await sighting('late')
  await expect.poll(() => cluster.live('late'), { timeout: 10_000 }).toEqual([first])
  await executor.cancel('late')
})

test('memory and features reach Slurm; switches are refused, as the API cannot express them', async () => {
  const wishes = { devices: { kind: 'gpu:h100', perNode: 1 }, memory_bytes: 2 ** 30, constraint: 'rack2' }
  expect(await executor.submit(job('wishes', wishes))).toMatchObject({ answer: 'submitted' })
  expect(await executor.submit(job('wishes', wishes))).toMatchObject({ answer: 'submitted', already: true })
  await expect.poll(() => sighting('wishes'), { timeout: 10_000 }).toEqual({ state: 'running', nodes: ['n2'], unresponsive: [] })
  await executor.cancel('wishes')
  const spread = job('spread', { switches: { most: 1, wait_s: 60 } })
  expect(await executor.submit(spread)).toMatchObject({ answer: 'refused', field: 'switches' })
})

test('a job that differs from what was asked is cancelled and refused by the name of the field', async () => {
  await executor.submit(job('altered', { timeLimit_s: 600 }))
  await cluster.slurm('scontrol', 'update', 'JobName=il-altered', 'TimeLimit=5')
  expect(await executor.submit(job('altered', { timeLimit_s: 600 }))).toEqual({
    answer: 'refused',
    field: 'timeLimit_s',
    reason: 'asked for "10", Slurm holds "5"',
  })
  await expect.poll(() => cluster.live('altered'), { timeout: 10_000 }).toEqual([])
})

test('draining is refused by name, of an unknown node too', async () => {
  expect(await executor.drain('n1', 'x')).toMatchObject({ answer: 'refused', field: 'drain', reason: expect.stringContaining('scontrol') })
  expect(await executor.undrain('n1')).toMatchObject({ answer: 'refused', field: 'undrain' })
  expect(await executor.drain('nowhere', 'x')).toMatchObject({ answer: 'refused', field: 'node' })
})

test('a token that is wrong, absent or not answered hides jobs and never loses them; a renewed one is taken', async () => {
  const tokenFile = join(folder, 'token')
  const other = slurmRestExecutor({ ...cluster.options, tokenFile })
  expect(await other.sightings(['x'])).toMatchObject({ answer: 'unreachable', reason: expect.stringContaining('ENOENT') })
  writeFileSync(tokenFile, 'garbage')
  expect(await other.sightings(['x'])).toMatchObject({ answer: 'unreachable', reason: expect.stringContaining('code -1') })
  expect(await other.submit(job('x'))).toMatchObject({ answer: 'unreachable' })
  const renewed = await cluster.slurm('scontrol', 'token', 'username=root', 'lifespan=60')
  writeFileSync(tokenFile, renewed.replace('SLURM_JWT=', ''))
  expect(await other.sightings(['x'])).toEqual({ answer: 'seen', jobs: new Map([['x', { state: 'absent' }]]) })
})

test('no slurmrestd, or none that answers in time, is unreachable to every question', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const api = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const late = slurmRestExecutor({ ...cluster.options, api, timeout_s: 0.2 })
  expect(await late.capacity()).toMatchObject({ answer: 'unreachable', reason: expect.stringContaining('no answer in 0.2 s') })
  silent.closeAllConnections()
  silent.close()
  await cluster.testbed('stop', 'slurmrestd')
  const unreachable = { answer: 'unreachable', reason: expect.stringContaining('ECONNREFUSED') }
  for (const answer of [executor.cancel('x'), executor.submit(job('x')), executor.drain('n1', 'x'), executor.capacity()])
    expect(await answer).toEqual(unreachable)
  await cluster.testbed('start', 'slurmrestd')
  expect(await executor.capacity()).toMatchObject({ answer: 'capacity' })
})

test('jobs of another user are not ours', async () => {
  await executor.submit(job('shared'))
  const token = await cluster.slurm('scontrol', 'token', 'username=nobody', 'lifespan=60')
  const tokenFile = join(folder, 'nobody')
  writeFileSync(tokenFile, token.replace('SLURM_JWT=', ''))
  const nobody = slurmRestExecutor({ ...cluster.options, user: 'nobody', tokenFile })
  expect(await nobody.sightings(['shared'])).toEqual({ answer: 'seen', jobs: new Map([['shared', { state: 'absent' }]]) })
  expect(await nobody.cancel('shared')).toEqual({ answer: 'done' })
  expect(await cluster.live('shared')).toHaveLength(1)
  await executor.cancel('shared')
})

test('the environment reaches the program', async () => {
  const env = { SECRET: "it's\na $secret", PATH: '/usr/bin:/bin:/nowhere' }
  const argv = ['sh', '-c', 'test "$SECRET" = "it\'s\na \\$secret" && test "$PATH" = /usr/bin:/bin:/nowhere']
  await executor.submit(job('env', { env, argv }))
  await expect.poll(() => sighting('env'), { timeout: 10_000 }).toEqual({ state: 'ended', how: 'completed' })
})

test('a job that Slurm restarts against our word ends at once', async () => {
  await executor.submit(job('again'))
  await expect.poll(() => sighting('again'), { timeout: 10_000 }).toMatchObject({ state: 'running' })
  const [id = ''] = await cluster.live('again')
  await cluster.slurm('scontrol', 'update', `JobId=${id}`, 'Requeue=1')
  await cluster.slurm('scontrol', 'requeue', id)
  await expect.poll(() => sighting('again'), { timeout: 20_000 }).toEqual({ state: 'ended', how: 'completed' })
}, 30_000)
