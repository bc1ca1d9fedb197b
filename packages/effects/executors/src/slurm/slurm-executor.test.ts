import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Executor, JobSighting } from '../executor.ts'
import type { JobSpec } from '../job-spec.ts'
import { executorConformance } from '../conformance.ts'
import { makeTestUsers } from '../conformance/test-users.ts'
import { slurmExecutor } from './slurm-executor.ts'
import { type Cluster, slurmRig, startCluster } from './testbed.fixture.ts'

// A second cluster, where a node dies before the conformance suite begins: Slurm needs half a minute to believe it.
let cluster: Cluster
let executor: Executor
let folder: string

const job = (key: string, change: Partial<JobSpec> = {}): JobSpec => ({
  key,
  nodes: 1,
  processesPerNode: 1,
  exclude: ['n2'],
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

async function node(name: string): Promise<unknown> {
  const shown = await executor.capacity()
  return shown.answer === 'capacity' && shown.nodes.find((other) => other.name === name)
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slurm-faults-'))
  cluster = await startCluster(2)
  executor = slurmExecutor({ environment: cluster.environment })
  await executor.submit(job('lost', { nodes: 2, exclude: [] }))
  await vi.waitFor(async () => expect(await sighting('lost')).toEqual({ state: 'running', nodes: ['n1', 'n2'], unresponsive: [] }), 10_000)
  await cluster.testbed('kill-node', 'n2')
}, 60_000)
afterAll(async () => {
  await cluster.testbed('down')
  rmSync(folder, { recursive: true })
}, 30_000)

executorConformance('slurm', async () => {
  const started = await startCluster(4)
  const users = makeTestUsers()
  const rig = slurmRig(started)
  return {
    executor: slurmExecutor({ environment: started.environment, ...users }),
    ...rig,
    crash: started.crash,
    ...(users && { users }),
    stop: async () => {
      await rig.stop()
      users?.remove()
    },
  }
})

test('a submission that arrives after it was given up and repeated does not run', async () => {
  await cluster.crash(job('late'), 'in flight')
  await executor.submit(job('late'))
  await expect.poll(() => cluster.live('late'), { timeout: 10_000 }).toHaveLength(2)
  const [first] = await cluster.live('late')
  expect(await sighting('late')).toMatchObject({ state: 'running' })
  await expect.poll(() => cluster.live('late')).toEqual([first])
  await executor.cancel('late')
})

test('memory, features and switches reach Slurm; a feature that no node has is refused', async () => {
  const wishes = {
    devices: { kind: 'gpu:h100', perNode: 1 },
    memory_bytes: 2 ** 30,
    constraint: 'rack1',
    switches: { most: 1, wait_s: 60 },
  }
  expect(await executor.submit(job('wishes', wishes))).toMatchObject({ answer: 'submitted' })
  expect(await executor.submit(job('wishes', wishes))).toMatchObject({ answer: 'submitted', already: true })
  await expect.poll(() => sighting('wishes'), { timeout: 10_000 }).toEqual({ state: 'running', nodes: ['n1'], unresponsive: [] })
  await executor.cancel('wishes')
  expect(await executor.submit(job('featureless', { constraint: 'nowhere' }))).toMatchObject({ answer: 'refused', field: 'job' })
  expect(await executor.submit(job('vast', { memory_bytes: 2 ** 50 }))).toMatchObject({ answer: 'refused', field: 'job' })
})

test('a job that differs from what was asked is cancelled and refused by the name of the field', async () => {
  await executor.submit(job('altered', { timeLimit_s: 600 }))
  await cluster.slurm('scontrol', 'update', 'JobName=il-altered', 'TimeLimit=5')
  expect(await executor.submit(job('altered', { timeLimit_s: 600 }))).toEqual({
    answer: 'refused',
    field: 'timeLimit_s',
    reason: 'asked for "00:10:00", Slurm holds "00:05:00"',
  })
  await expect.poll(() => cluster.live('altered'), { timeout: 10_000 }).toEqual([])
})

test('what Slurm itself refuses is refused with its words', async () => {
  const elsewhere = slurmExecutor({ environment: cluster.environment, partition: 'nowhere' })
  expect(await elsewhere.submit(job('nowhere'))).toMatchObject({ answer: 'refused' })
  expect(await executor.submit(job('x', { exclude: ['n1x'] }))).toMatchObject({
    answer: 'refused',
    reason: expect.stringContaining('Invalid node name'),
  })
})

test('nodes of other partitions are shown where jobs may be sent there', async () => {
  const { environment } = cluster
  const nodeCount = async (otherPartitions: readonly string[]): Promise<number> => {
    const fleet = await slurmExecutor({ environment, partition: 'nowhere', otherPartitions }).capacity()
    return fleet.answer === 'capacity' ? fleet.nodes.length : -1
  }
  expect(await nodeCount([])).toBe(0)
  expect(await nodeCount(['main'])).toBe(await nodeCount(['main', 'main']))
  expect(await nodeCount(['main'])).toBeGreaterThan(0)
})

test('a command that hangs is unreachable within its time limit', async () => {
  const stopped = slurmExecutor({ environment: cluster.environment, timeout_s: 0.001 })
  expect(await stopped.sightings(['lost'])).toMatchObject({ answer: 'unreachable', reason: expect.stringContaining('no answer') })
  const missing = slurmExecutor({ environment: { PATH: folder } })
  expect(await missing.sightings(['lost'])).toMatchObject({ answer: 'unreachable', reason: expect.stringContaining('ENOENT') })
})

test('the environment reaches the program and no argument list', async () => {
  const env = { SECRET: "it's\na $secret", PATH: '/usr/bin:/bin:/nowhere' }
  await executor.submit(
    job('env', {
      env,
      argv: ['sh', '-c', 'test "$SECRET" = "it\'s\na \\$secret" && test "$PATH" = /usr/bin:/bin:/nowhere && test -z "$LEAK"'],
    }),
  )
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

test('a node that lost its power is down in the end, its job failed by the node, and it returns', async () => {
  await expect.poll(() => sighting('lost'), { timeout: 60_000 }).toEqual({ state: 'ended', how: 'node-failed' })
  expect(await node('n2')).toMatchObject({ state: 'down', reason: 'Not responding', free: 0 })
  await cluster.testbed('restore-node', 'n2')
  expect(await node('n2')).toMatchObject({ state: 'idle', free: 8 })
}, 90_000)

test("a job's environment reaches neither sbatch nor its argument list", async () => {
  const real = execFileSync('which', ['sbatch'], { encoding: 'utf8', env: cluster.environment }).trim()
  const seen = join(folder, 'seen-by-sbatch')
  const bin = mkdtempSync(join(folder, 'bin-'))
  writeFileSync(join(bin, 'sbatch'), `#!/bin/sh\n{ env; echo "$@"; } > '${seen}'\nexec ${real} "$@"\n`, { mode: 0o755 })
  const path = `${bin}${delimiter}${cluster.environment.PATH}`
  const watched = slurmExecutor({ environment: { ...cluster.environment, PATH: path } })
  const spec = job('environment', { env: { LD_PRELOAD: '/nowhere/evil.so', TOKEN: 'hf_secret' }, argv: ['true'] })
  expect(await watched.submit(spec)).toMatchObject({ answer: 'submitted' })
  expect(readFileSync(seen, 'utf8')).not.toMatch(/evil|hf_secret/)
  await executor.cancel('environment')
})
