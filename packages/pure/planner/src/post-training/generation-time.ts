// How long one engine takes for its answers of a step. All are asked for at once: as many as the cache holds decode together, the others
// follow as those end, and then the batch drains until the longest answer is done, on an ever emptier device.

import type { Lengths } from '../lengths.ts'
import { meanLength } from '../lengths.ts'
import { requestsHeld } from '../serving/memory.ts'
import type { PreparedReplica } from '../serving/prepared-replica.ts'
import { decodeWork, prefillWork } from '../serving/steady-state.ts'

export type GenerationLoad = {
  /** Answers that one engine generates. */
  readonly requests: number
  /** Answers that share a prompt, whose cache is computed once. */
  readonly samples: number
  readonly prompt: number
  readonly answers: Lengths
  readonly longestAnswer: number
  /** Answers of all engines: the longest of them decides. */
  readonly all: number
  /** Whether engines go on with the next step's prompts instead of draining. */
  readonly continuous: boolean
}

export type GenerationTime = {
  readonly total_s: number
  readonly prefill_s: number
  /** After half of the answers are done. */
  readonly tail_s: number
  readonly atOnce: number
  /** Steps of decoding, which each read the weights. */
  readonly steps: number
}

/** Undefined where the cache does not hold the longest answer with its prompt. */
export function generationTime(prepared: PreparedReplica, load: GenerationLoad): GenerationTime | undefined {
  const { replica, step, memory } = prepared
  const { requests, prompt, answers } = load
  const mean = meanLength(answers)
  const held = Math.min(requests, requestsHeld(memory, prompt + mean), replica.runtime.sequencesMost * replica.layout.data)
  if (held < 1 || requestsHeld(memory, prompt + load.longestAnswer) < 1) return undefined
  const tokenTime = (alive: number, context: number): number => step.time(decodeWork(alive, prompt + context)) / step.gain
  const prefill_s = prefillTime(prepared, load)
  const full = tokenTime(held, mean / 2)
  const waiting = load.continuous ? requests : requests - held
  const filled = (waiting / held) * mean
  const drained = load.continuous ? { total: 0, tail: 0, steps: 0 } : drain(load, { held, tokenTime })
  return {
    total_s: prefill_s + filled * full + drained.total,
    prefill_s,
    tail_s: drained.tail,
    atOnce: held,
    steps: filled + drained.steps,
  }
}

function prefillTime({ replica, step }: PreparedReplica, { requests, samples, prompt }: GenerationLoad): number {
  const prompts = Math.max(1, requests / samples)
  const together = Math.max(1, Math.min(prompts, (replica.layout.data * replica.runtime.tokensPerStep) / prompt))
  return (prompts / together) * step.time(prefillWork(prompt, together))
}

type DrainInputs = { readonly held: number; readonly tokenTime: (alive: number, context: number) => number }

/** From the first token to the last: between one length and the next, those decode that are longer. */
function drain(
  { answers, all }: GenerationLoad,
  { held, tokenTime }: DrainInputs,
): { readonly total: number; readonly tail: number; readonly steps: number } {
  let [total, tail, done, before] = [0, 0, 0, 0]
  for (const { tokens, share } of answers) {
    const left = 1 - done
    // Beyond this, hardly any answer of the step is as long.
    if (all * left < 0.5) break
    const time = (tokens - before) * tokenTime(Math.max(1, held * left), (tokens + before) / 2)
    total += time
    if (done >= 0.5) tail += time
    done += share
    before = tokens
  }
  return { total, tail, steps: before }
}
