// A replica under requests that come at random at a given rate, in closed form: Little's law says how many decode, the Pollaczek-Khinchine
// mean how long a prompt waits, an exponential tail and the fluctuation of a Poisson count give percentiles.

import { requestsHeld } from './memory.ts'
import type { PreparedReplica } from './prepared-replica.ts'
import { requestTime } from './request-time.ts'
import { decodeWork, type Lengths, prefillWork, promptTime, steadyState } from './steady-state.ts'

export type OpenLoad = Lengths & { readonly requests_per_s: number; readonly cached?: number }

export type Percentiles = { readonly mean: number; readonly p50: number; readonly p90: number; readonly p99: number }

export type OpenState = {
  /** More comes than the replica can serve: the queue grows without end. */
  readonly saturated: boolean
  readonly ttft_s: Percentiles
  readonly tpot_s: Percentiles
  readonly output_tokens_per_s: number
  readonly decoding: number
  readonly prefillShare: number
  readonly decodeStep_s: number
}

const ROUNDS = 30
const MOST_SHARE = 0.97
/** Standard normal at 90 % and 99 %. */
const Z90 = 1.2816
const Z99 = 2.3263

export function openState(prepared: PreparedReplica, load: OpenLoad): OpenState {
  const { replica, step, memory } = prepared
  const { requests_per_s: offered, input, output, cached = 0 } = load
  const { runtime, layout } = replica
  const lanes = layout.pipeline
  const context = input + output / 2
  const room = Math.max(1, Math.min(requestsHeld(memory, context), runtime.sequencesMost * layout.data))
  const steady = steadyState(prepared, { input, output, cached, concurrency: room })
  const saturated = offered >= steady.requests_per_s
  const rate = Math.min(offered, steady.requests_per_s)
  let decodeStep = step.time(decodeWork(1, context))
  let tpot = decodeStep / step.gain
  let decoding = 1
  let prompt = { extra_s: 0, alone_s: 0, longest_s: Infinity }
  let share = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    decoding = Math.max(1, Math.min(room, rate * output * tpot))
    const perLane = Math.max(1, decoding / lanes)
    decodeStep = step.time(decodeWork(perLane, context))
    prompt = promptTime(replica, step, {
      load: { input, output, cached, concurrency: room },
      rate: rate / lanes,
      decoding: perLane,
      context,
      decodeStep,
    })
    share = Math.min(MOST_SHARE, (rate / lanes) * prompt.extra_s)
    tpot = (tpot + Math.min(prompt.longest_s, decodeStep / step.gain / (1 - share))) / 2
  }
  if (saturated) tpot = steady.tpot_s
  const above = (z: number): number => {
    const many = Math.min(room, decoding + z * Math.sqrt(decoding)) / lanes
    return Math.min(prompt.longest_s, step.time(decodeWork(Math.max(1, many), context)) / step.gain / (1 - share))
  }
  const alone = step.time(prefillWork(input, 1, cached))
  const wait = (share * prompt.alone_s) / (2 * (1 - share))
  const base = requestTime(replica) + Math.max(alone, prompt.alone_s) + Math.min(tpot, decodeStep) / 2
  const ttft = saturated
    ? { mean: Infinity, p50: Infinity, p90: Infinity, p99: Infinity }
    : {
        mean: base + wait,
        p50: base + waitQuantile(share, wait, 0.5),
        p90: base + waitQuantile(share, wait, 0.9),
        p99: base + waitQuantile(share, wait, 0.99),
      }
  return {
    saturated,
    ttft_s: ttft,
    tpot_s: { mean: tpot, p50: tpot, p90: above(Z90), p99: above(Z99) },
    output_tokens_per_s: rate * output,
    decoding,
    prefillShare: share,
    decodeStep_s: decodeStep,
  }
}

/** The wait of an M/M/1 queue is exponential, for the share of requests that wait at all. */
export const waitQuantile = (load: number, wait: number, p: number): number =>
  load <= 1 - p ? 0 : (wait / load) * Math.log(load / (1 - p))
