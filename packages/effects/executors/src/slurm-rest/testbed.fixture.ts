// A Slurm cluster with its REST API for tests, through the command that contributors use, and ways to look into it past the API.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { JobSpec } from '../job-spec.ts'
import { jobName } from '../slurm/job-list.ts'
import { bringUp } from '../slurm/testbed.fixture.ts'

const TESTBED = join(import.meta.dirname, '../../../../../tools/testbed/main.ts')
const SUBMIT = join(import.meta.dirname, 'submit.fixture.ts')
const run = promisify(execFile)

type StartedTestbed = {
  readonly dir: string
  readonly slurmConf: string
  readonly nodes: readonly string[]
  readonly rest: { readonly url: string; readonly user: string; readonly tokenFile: string }
}

export type RestCluster = Awaited<ReturnType<typeof startRestCluster>>

export async function startRestCluster(nodes: number) {
  const { dir, slurmConf, nodes: names, rest }: StartedTestbed = JSON.parse(await bringUp(nodes, '--rest'))
  const environment = { PATH: process.env['PATH'] ?? '', SLURM_CONF: slurmConf }
  const options = { api: rest.url, user: rest.user, tokenFile: rest.tokenFile, environment: { SLURM_CONF: slurmConf } }
  const slurm = async (command: string, ...args: readonly string[]): Promise<string> =>
    (await run(command, args, { env: environment })).stdout.trim()
  return {
    nodes: names,
    environment,
    options,
    /** Signs the tokens of the cluster. */
    keyFile: join(dir, 'jwt.key'),
    slurm,
    testbed: async (...args: readonly string[]): Promise<void> => void (await run(process.execPath, [TESTBED, ...args, '--dir', dir])),
    /** Jobs of that key which wait, run or end, by id. */
    live: async (key: string): Promise<readonly string[]> =>
      (await slurm('squeue', '--noheader', '--format=%i', '--sort=i', `--name=${jobName(key)}`)).split('\n').filter(Boolean),
    crash: (job: JobSpec, when: 'before' | 'after'): Promise<void> =>
      new Promise((resolve, reject) => {
        execFile(process.execPath, [SUBMIT, JSON.stringify(options), JSON.stringify(job), when], (error, stdout) =>
          error?.signal === 'SIGKILL' ? resolve() : reject(new Error(`was not killed: ${error?.message ?? stdout}`)),
        )
      }),
  }
}
