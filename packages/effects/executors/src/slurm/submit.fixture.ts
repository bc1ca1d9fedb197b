// A process that submits one job and prints the answer: `node submit.fixture.ts JOB`, cluster and PATH from the environment.

import { slurmExecutor } from './slurm-executor.ts'

const { PATH = '', SLURM_CONF = '' } = process.env
console.log(await slurmExecutor({ environment: { PATH, SLURM_CONF } }).submit(JSON.parse(process.argv[2] ?? '')))
