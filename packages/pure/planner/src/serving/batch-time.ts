// One batch of equal requests from start to end, as offline tools run it: all prompts, then all tokens.

import { decodeWork, type Lengths, prefillWork } from './steady-state.ts'
import type { CompiledStep } from './step-time.ts'

export type BatchTime = { readonly prefill_s: number; readonly decodeStep_s: number; readonly output_tokens_per_s: number }

export function batchTime(step: CompiledStep, { input, output }: Lengths, size: number): BatchTime {
  const prefill = step.time(prefillWork(input, size))
  const decode = step.time(decodeWork(size, input + output / 2)) / step.gain
  return { prefill_s: prefill, decodeStep_s: decode, output_tokens_per_s: (size * output) / (prefill + Math.max(0, output - 1) * decode) }
}
