// A replica under constant concurrency, in closed form: a request that finishes is replaced at once. Decoding and the prompts of newcomers
// share the device, so the time between tokens is a decode step and the prompts' part of one; the rate that follows decides how many
// decode.

import type { CompiledStep, StepWork } from './step-time.ts'
import { requestsHeld } from './memory.ts'
import type { PreparedReplica } from './prepared-replica.ts'
import type { ReplicaDesign } from './replica-design.ts'
import { requestTime } from './request-time.ts'

export type Lengths = { readonly input: number; readonly output: number }

export type SteadyLoad = Lengths & {
  readonly concurrency: number
  /** Share of prompts already cached. */
  readonly cached?: number
  /** How far requests have drifted apart: 0 when all start and end together, as equal lengths make them, 1 when they come at random. */
  readonly spread?: number
}

export type SteadyState = {
  readonly ttft_s: number
  readonly tpot_s: number
  readonly requests_per_s: number
  readonly output_tokens_per_s: number
  /** Sequences that decode in a step. */
  readonly decoding: number
  /** Share of time that prompts take. */
  readonly prefillShare: number
  /** Time to prefill one prompt when nothing waits, including the decoding that runs with it. */
  readonly prefill_s: number
  readonly decodeStep_s: number
}

export const prefillWork = (input: number, prompts: number, cached = 0): StepWork => {
  const tokens = input * (1 - cached)
  const context = input * cached
  return {
    prefillSequences: prompts,
    prefillTokens: tokens * prompts,
    prefillPairs: prompts * (tokens * context + (tokens * (tokens + 1)) / 2),
    decodeSequences: 0,
    decodeKeys: 0,
  }
}

export const decodeWork = (sequences: number, context: number): StepWork => ({
  prefillSequences: 0,
  prefillTokens: 0,
  prefillPairs: 0,
  decodeSequences: sequences,
  decodeKeys: sequences * context,
})

const ROUNDS = 40
const MOST_SHARE = 0.97

export function steadyState({ replica, step, memory }: PreparedReplica, load: SteadyLoad): SteadyState {
  const { layout, runtime } = replica
  const { concurrency, input, output, cached = 0, spread = 1 } = load
  const context = input + output / 2
  const room = Math.max(1, Math.min(concurrency, requestsHeld(memory, context), runtime.sequencesMost * layout.data))
  const lanes = layout.pipeline
  let tpot = step.time(decodeWork(Math.max(1, room / lanes), context)) / step.gain
  let ttft = step.time(prefillWork(input, 1, cached))
  let answer: SteadyState | undefined
  for (let round = 0; round < ROUNDS; round += 1) {
    const rate = room / (ttft + (output - 1) * tpot)
    const decoding = Math.max(1, Math.min(room, rate * (output - 1) * tpot))
    const perLane = Math.max(1, decoding / lanes)
    const decodeStep = step.time(decodeWork(perLane, context))
    const prompt = promptTime(replica, step, { load, rate: rate / lanes, decoding: perLane, context, decodeStep })
    // Where prompts go first and requests are in step, a prompt delays only those that were prefilled before it: half of them.
    const delayed = runtime.mixed ? 1 : (1 + spread) / 2
    const others = perLane * (1 - 1 / room)
    const nextTpot = decodeStep / step.gain + (delayed * others * prompt.extra_s) / output
    const share = Math.min(MOST_SHARE, (rate / lanes) * prompt.extra_s)
    const queue = (share * prompt.alone_s) / (2 * (1 - share))
    const burst = ((room / lanes - 1) * prompt.extra_s) / 2
    const nextTtft = requestTime(replica) + nextTpot / 2 + prompt.alone_s + spread * queue + (1 - spread) * burst
    tpot = (tpot + nextTpot) / 2
    ttft = (ttft + nextTtft) / 2
    // A request costs its prompt's part of the engine's time and its share of every step that brings it a token.
    const most = lanes / (prompt.extra_s + ((output - 1) * decodeStep) / step.gain / perLane)
    const served = Math.min(rate, most)
    answer = {
      ttft_s: ttft + (concurrency - room) / rate + (output - 1) * Math.max(0, tpot - prompt.longest_s),
      tpot_s: Math.min(tpot, prompt.longest_s),
      requests_per_s: served,
      output_tokens_per_s: served * output,
      decoding,
      prefillShare: share,
      prefill_s: prompt.alone_s,
      decodeStep_s: decodeStep,
    }
  }
  if (!answer) throw new Error('no round was made')
  return answer
}

type PromptConditions = {
  readonly load: SteadyLoad
  readonly rate: number
  readonly decoding: number
  readonly context: number
  readonly decodeStep: number
}

/** What one prompt adds to the time of the engine, and how long it takes itself. */
export function promptTime(
  { runtime, layout }: ReplicaDesign,
  step: CompiledStep,
  { load: { input, cached = 0 }, rate, decoding, context, decodeStep }: PromptConditions,
): { readonly extra_s: number; readonly alone_s: number; readonly longest_s: number } {
  const tokens = input * (1 - cached)
  // A prompt stays on its copy of the attention, whose part of a step it cannot exceed.
  const chunks = Math.max(1, Math.ceil(tokens / runtime.tokensPerStep))
  const alone = step.time(prefillWork(input, 1, cached))
  // Prompts that arrive while a step runs go into the next one together, as far as its budget goes.
  const full = layout.data * Math.max(1, runtime.tokensPerStep / tokens)
  const waits = layout.data > 1 ? (runtime.promptWait_steps ?? 1) : 1
  const together = Math.max(1, Math.min(full, rate * (alone + waits * decodeStep)))
  const whole = prefillWork(input, together, cached)
  const beside = runtime.mixed ? decodeWork(decoding, context) : decodeWork(0, 0)
  const each: StepWork = {
    prefillSequences: together,
    prefillTokens: whole.prefillTokens / chunks,
    prefillPairs: whole.prefillPairs / chunks,
    decodeSequences: beside.decodeSequences,
    decodeKeys: beside.decodeKeys,
  }
  const one = step.time(each)
  const extra = runtime.mixed ? one - decodeStep : one
  // With prompts and decoding in one step, every step brings each sequence a token: none waits longer than a full step.
  const longest = runtime.mixed
    ? step.time({
        ...each,
        prefillSequences: full,
        prefillTokens: runtime.tokensPerStep * layout.data,
        prefillPairs: (whole.prefillPairs / chunks) * (full / together),
      })
    : Infinity
  // Held back until every copy has a prompt, or for as long as the engine waits for that.
  const held = waits > 1 ? Math.min((waits - 1) * decodeStep, Math.max(0, (layout.data - 1) / rate)) : 0
  return { extra_s: (chunks * extra) / together, alone_s: chunks * one + held, longest_s: longest / step.gain }
}
