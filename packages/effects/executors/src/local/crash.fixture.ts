// A process that submits a local job and dies at the moment between the registry and the launcher, or right after the launcher's
// start: `node crash.fixture.ts before|after OPTIONS JOB`.

import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'

const [when = '', options = '', job = ''] = process.argv.slice(2)
const { spawn } = childProcess
const die = (): never => {
  process.kill(process.pid, 'SIGKILL')
  throw new Error('still alive')
}

Object.assign(childProcess, {
  spawn: (...args: Parameters<typeof spawn>) => {
    if (when === 'after') spawn(...args).unref()
    return die()
  },
})
syncBuiltinESMExports()

const { localExecutor } = await import('./local-executor.ts')
await localExecutor(JSON.parse(options)).submit(JSON.parse(job))
console.log('told somebody')
