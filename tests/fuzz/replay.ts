// One input through a target again, from source: the trace of a throw names files and lines.

import { Coverage, countersFor } from './coverage.ts'
import { execute } from './execution.ts'
import type { Target } from './target.ts'
import { entryOf } from './targets.ts'

export async function replay({ target: name, input }: { readonly target: string; readonly input: Uint8Array }): Promise<number> {
  const { target }: { readonly target: Target } = await import(entryOf(name))
  const coverage = new Coverage(new Uint32Array(countersFor(0)), 0)
  const began = performance.now()
  const fault = await execute({ input, target, coverage })
  const took = `${input.length} bytes, ${(performance.now() - began).toFixed(1)} ms`
  if (!fault) {
    console.log(`${name}: no fault (${took})`)
    return 0
  }
  console.log(`${name}: ${fault.kind}: ${fault.message} (${took})`)
  if (fault.kind === 'throw') await target.run(Buffer.from(input), coverage.mark)
  return 1
}
