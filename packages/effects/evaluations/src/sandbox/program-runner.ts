// Programs, as many at the same time as there are processors: their limit of time is on the clock.

import { availableParallelism } from 'node:os'
import { type Program, type ProgramOutcome, runProgram, type Sandbox } from './run-program.ts'

export type ProgramRunner = (program: Program) => Promise<ProgramOutcome>

export function createRunner(sandbox: Sandbox): ProgramRunner {
  const lanes: Promise<unknown>[] = Array.from({ length: availableParallelism() }, () => Promise.resolve())
  let next = 0
  return async (program) => {
    const lane = next++ % lanes.length
    const run = (lanes[lane] ?? Promise.resolve()).then(async () => await runProgram(sandbox, program))
    // One that cannot be run is reported to whoever asked for it; the others go on.
    lanes[lane] = run.catch(() => undefined)
    return await run
  }
}
