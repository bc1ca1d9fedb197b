// A process that submits one job and is killed right before or right after slurmrestd took it:
// `node submit.fixture.ts OPTIONS JOB before|after`.

import { slurmRestExecutor } from './slurm-rest-executor.ts'

const [options = '', job = '', when = ''] = process.argv.slice(2)
const send = globalThis.fetch

globalThis.fetch = async (input, init) => {
  if (init?.method === 'POST' && when === 'before') process.kill(process.pid, 'SIGKILL')
  const response = await send(input, init)
  if (init?.method === 'POST') process.kill(process.pid, 'SIGKILL')
  return response
}

console.log(await slurmRestExecutor(JSON.parse(options)).submit(JSON.parse(job)))
