// A sandbox that is known to work: what it cannot keep out must not begin.

import { quantityOf } from '@ironlaw/contracts'
import type { EvaluateSpec } from '@ironlaw/contracts/evaluate-spec'
import { findInterpreter } from './interpreter.ts'
import { runProgram, type Sandbox } from './run-program.ts'
import { sandboxError } from './sandbox-error.ts'

export async function openSandbox(spec: EvaluateSpec['sandbox']): Promise<Sandbox> {
  const interpreter = await findInterpreter(spec.interpreter)
  const limits = {
    time_s: quantityOf(spec.time, 's'),
    memory_bytes: Math.round(quantityOf(spec.memory, 'B')),
    processes: spec.processes,
    output_bytes: Math.round(quantityOf(spec.output, 'B')),
  }
  const sandbox = { interpreter, limits }
  const { ended, errors } = await runProgram(sandbox, { program: 'def one(): return 1', tests: 'assert one() == 1' })
  if (ended !== 'passed') throw sandboxError(`a program that does nothing ${ended === 'failed' ? `fails: ${errors.trim()}` : ended}`)
  return sandbox
}
