// A worker as a process: build.ts starts it on one machine, a run starts it on many.

import { IronlawError, systemError } from '@ironlaw/contracts'
import type { DataSpec } from '@ironlaw/contracts/data-spec'
import { preparePipeline, type WorkerFailure } from './build.ts'
import { readJson } from './work-directory.ts'
import { runWorker } from './worker.ts'

const [file = '', work = '', rank = '0', world = '1'] = process.argv.slice(2)
// Whoever started it is gone: so is the reason to work on.
process.on('disconnect', () => process.exit(1))
try {
  const { spec, directory } = await readJson<{ spec: DataSpec; directory: string }>(file)
  const { pipeline } = await preparePipeline({ spec, directory, work })
  await runWorker(pipeline, { rank: Number(rank), world: Number(world) })
  process.exit(0)
} catch (error) {
  const known = error instanceof IronlawError ? error : systemError(error)
  const failure: WorkerFailure | undefined = known && { problem: known.message, next: known.next }
  if (failure && process.send) process.send(failure, () => process.exit(1))
  else throw error
}
