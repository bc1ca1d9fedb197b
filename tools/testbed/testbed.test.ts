import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run, until } from './daemon.ts'
import { environmentOf, everyPid, openFilesOf } from './processes.ts'
import { type Testbed, everyTestbed, startTestbed } from './testbed.ts'

let testbed: Testbed
beforeAll(async () => {
  testbed = await startTestbed()
}, 30_000)
afterAll(() => testbed.stop())

const MAIN = join(import.meta.dirname, 'main.ts')

const slurm = async (command: string, ...args: readonly string[]): Promise<string> =>
  (await run(command, args, { env: { PATH: process.env.PATH, ...testbed.env } })).stdout.trim()

const tracesOf = (dir: string): readonly number[] =>
  everyPid().filter((pid) => [...environmentOf(pid), ...openFilesOf(pid)].some((text) => text.includes(dir)))

const sleepersOn = (node: string): readonly number[] =>
  everyPid().filter((pid) => environmentOf(pid).has(`SLURMD_NODENAME=${node}`) && environmentOf(pid).has('SLEEPER=yes'))

async function startSleeper(): Promise<string> {
  const job = await slurm(
    'sbatch',
    '--parsable',
    '-N2',
    '-w',
    'n1,n2',
    '-o',
    '/dev/null',
    '--export=ALL,SLEEPER=yes',
    '--wrap',
    'srun sleep 300',
  )
  await until('the job on both nodes', () => sleepersOn('n1').length > 0 && sleepersOn('n2').length > 0)
  return job
}

test('all nodes run a job, with 8 tasks each', async () => {
  const names = await slurm('srun', '-N4', '--ntasks-per-node=8', 'sh', '-c', 'echo $SLURMD_NODENAME')
  expect(names.split('\n').toSorted()).toEqual(testbed.nodes.flatMap((node) => Array.from({ length: 8 }, () => node)))
})

test('PostgreSQL answers, also after a restart', async () => {
  const ask = async (): Promise<string> => (await run('psql', [testbed.pgUrl, '-Atc', 'select 6 * 7'])).stdout.trim()
  expect(await ask()).toBe('42')
  await testbed.stopService('postgres')
  expect(await ask()).toBe('')
  await testbed.startService('postgres')
  expect(await ask()).toBe('42')
})

test('killing slurmd leaves its job alone; a node that lost power has nothing left and returns', async () => {
  const job = await startSleeper()
  await testbed.killSlurmd('n2')
  expect(sleepersOn('n2')).not.toEqual([])
  await testbed.restoreNode('n2')
  await testbed.killNode('n2')
  expect(sleepersOn('n2')).toEqual([])
  expect(sleepersOn('n1')).not.toEqual([])
  expect(await testbed.status()).toContain('slurmd n2 down')
  expect(await slurm('squeue', '-h', '-j', job, '-o', '%T')).toBe('RUNNING')
  await slurm('scancel', job)
  await testbed.restoreNode('n2')
  expect(await testbed.status()).toContain('slurmd n2 up')
})

test('the controller forgets nothing in a restart', async () => {
  const job = await startSleeper()
  await testbed.stopService('slurmctld')
  expect(sleepersOn('n1')).not.toEqual([])
  await testbed.startService('slurmctld')
  expect(await slurm('squeue', '-h', '-j', job, '-o', '%T')).toBe('RUNNING')
  await slurm('scancel', job)
  const records = join(testbed.dir, 'log', 'jobs.txt')
  await until('the record of the ended job', () => readFileSync(records, 'utf8').includes(`JobId=${job} `))
})

test('the testbed of a dead owner is removed whole, a job and the REST API included; that of a living one stays', async () => {
  const owner = spawn('sleep', ['300'])
  const printed = execFileSync(process.execPath, [MAIN, 'up', '--rest', '--nodes', '1', '--owner', String(owner.pid), '--json'], {
    encoding: 'utf8',
  })
  const { dir, slurmConf } = JSON.parse(printed)
  await run('sbatch', ['-o', '/dev/null', '--wrap', 'sleep 300'], { env: { PATH: process.env.PATH, SLURM_CONF: slurmConf } })
  await until('its job', () =>
    everyPid().some((pid) => environmentOf(pid).has(`SLURM_CONF=${slurmConf}`) && environmentOf(pid).has('SLURMD_NODENAME=n1')),
  )
  const removeLitter = (): string => execFileSync(process.execPath, [MAIN, 'down', '--all'], { encoding: 'utf8' })
  expect(removeLitter()).toBe('')
  owner.kill('SIGKILL')
  await once(owner, 'exit')
  expect(removeLitter()).toContain(dir)
  expect([existsSync(dir), tracesOf(dir)]).toEqual([false, []])
}, 30_000)

test('after stop no process, no file, no entry is left', async () => {
  await startSleeper()
  await testbed.stop()
  expect(existsSync(testbed.dir)).toBe(false)
  expect(tracesOf(testbed.dir)).toEqual([])
  expect(sleepersOn('n1')).toEqual([])
  expect(everyTestbed().map(({ dir }) => dir)).not.toContain(testbed.dir)
})
