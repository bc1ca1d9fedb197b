// A Slurm cluster for tests, through the command that contributors use, and ways to look into it past the executor.

import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { shellProgram } from '../conformance/rig.ts'
import type { JobSpec } from '../job-spec.ts'
import { jobName } from './job-list.ts'

const TESTBED = join(import.meta.dirname, '../../../../../tools/testbed/main.ts')
const SUBMIT = join(import.meta.dirname, 'submit.fixture.ts')
const run = promisify(execFile)

/** Programs that stand before the real sbatch on the PATH of a process that submits, and kill it (their parent). */
const DEADLY = {
  before: 'kill -9 $PPID',
  after: 'REAL "$@"; kill -9 $PPID',
  'in flight': 'script=$(cat); kill -9 $PPID; sleep 1; echo "$script" | REAL "$@" >/dev/null 2>&1',
} as const

export type Cluster = Awaited<ReturnType<typeof startCluster>>

/** Of each node. */
export const DEVICES = { kind: 'gpu:h100', perNode: 4 } as const
const DEVICE_FLAGS = ['--devices', 'h100:4'] as const

/** What the command prints about the cluster that it brought up, which ends with this process. */
export async function bringUp(nodes: number, ...flags: readonly string[]): Promise<string> {
  const named = ['--json', ...DEVICE_FLAGS, '--nodes', String(nodes), '--owner', String(process.pid)]
  return (await run(process.execPath, [TESTBED, 'up', ...flags, ...named])).stdout
}

export async function startCluster(nodes: number) {
  const { dir, slurmConf, nodes: names }: { dir: string; slurmConf: string; nodes: readonly string[] } = JSON.parse(await bringUp(nodes))
  const environment = { PATH: process.env['PATH'] ?? '', SLURM_CONF: slurmConf }
  const slurm = async (command: string, ...args: readonly string[]): Promise<string> =>
    (await run(command, args, { env: environment })).stdout.trim()
  return {
    nodes: names,
    environment,
    slurm,
    testbed: async (...args: readonly string[]): Promise<void> => void (await run(process.execPath, [TESTBED, ...args, '--dir', dir])),
    /** Jobs of that key which wait, run or end, by id. */
    live: async (key: string): Promise<readonly string[]> =>
      (await slurm('squeue', '--noheader', '--format=%i', '--sort=i', `--name=${jobName(key)}`)).split('\n').filter(Boolean),
    crash: (job: JobSpec, when: keyof typeof DEADLY): Promise<void> => crash(environment, job, when),
  }
}

function crash(environment: Readonly<Record<string, string>>, job: JobSpec, when: keyof typeof DEADLY): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'deadly-'))
  const real = execFileSync('which', ['sbatch'], { encoding: 'utf8', env: environment }).trim()
  writeFileSync(join(folder, 'sbatch'), `#!/bin/sh\n${DEADLY[when].replace('REAL', real)}\n`, { mode: 0o755 })
  const deadly = { ...environment, PATH: `${folder}${delimiter}${environment['PATH']}` }
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [SUBMIT, JSON.stringify(job)], { env: deadly }, (error, stdout) => {
      rmSync(folder, { recursive: true })
      return error?.signal === 'SIGKILL' && stdout === '' ? resolve() : reject(new Error(`was not killed: ${error?.message ?? stdout}`))
    })
  })
}

type ObservedCluster = Pick<Cluster, 'nodes' | 'slurm' | 'testbed' | 'live'>

/** What the conformance suite needs from a rig, answered by the cluster itself rather than by the executor under test. */
export const slurmRig = ({ nodes, slurm, testbed, live }: ObservedCluster) => ({
  nodes,
  slots: 8,
  devices: DEVICES,
  argv: shellProgram,
  pass: (seconds: number): Promise<void> => sleep(seconds * 1000),
  count: async (key: string): Promise<number> => (await live(key)).length,
  breakBackend: async () => {
    await testbed('stop', 'slurmctld')
    return () => testbed('start', 'slurmctld')
  },
  loseNode: async (node: string) => {
    await testbed('kill-node', node)
    return () => testbed('restore-node', node)
  },
  // Limits are whole minutes; the controller looks at them every 30 s.
  hasten: async (key: string): Promise<void> => {
    const job = await slurm('squeue', '--noheader', '--format=%i', `--name=${jobName(key)}`)
    await slurm('scontrol', 'update', `JobId=${job}`, 'EndTime=now+1')
  },
  stop: () => testbed('down'),
})
