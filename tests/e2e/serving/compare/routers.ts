// Routers compared, in reality and in the simulator: the same arrivals, lengths and sessions through each, with words that no engine
// has seen. They take turns, so that a machine that slows down slows all of them.

import type { RouterName } from '@ironlaw/policies/serving'
import { type CalibratedEngine, measuredReplica, type AccountedRequest, speedOf } from '@ironlaw/simulator/serving'
import { Bed, type BedOptions } from './bed.ts'
import { capacity, simulateRequests } from './simulated.ts'
import { showMilliseconds, printTable } from './text.ts'
import { drawnRequests, type Request } from './trace.ts'

const ROUTERS = ['round-robin', 'kv-aware', 'prefix-aware'] as const satisfies readonly RouterName[]
const REPLICAS = 3
/** Conversations that an engine keeps; there are more than one engine has places for, and fewer than all three have. */
const [SLOTS, SESSIONS] = [6, 15]
const LOAD = 0.5
const ROUNDS = 3
const ROUND_S = 16
/** Neighbours wait for each other: means of this many are nearly independent. */
const BATCH = 8

type RunRequests = (bed: Bed, requests: readonly Request[]) => Promise<readonly AccountedRequest[]>

export async function compareRouters(options: BedOptions, measured: CalibratedEngine, run: RunRequests): Promise<void> {
  const bed = await Bed.open({ ...options, slots: SLOTS })
  for (let started = 0; started < REPLICAS; started += 1) await bed.startEngine()
  const calibrated = { ...measured, engine: { ...measured.engine, slots: SLOTS } }
  const requests_per_s =
    LOAD * capacity(calibrated, drawnRequests({ requests_per_s: 1, count: 200, seed: 77, sessions: SESSIONS }), REPLICAS)
  const { prefill_s_per_token, step_s, step_s_per_sequence } = speedOf(measuredReplica(calibrated.engine))
  const real = new Map<RouterName, number[]>(ROUTERS.map((router) => [router, []]))
  const simulation = new Map<RouterName, number[]>(ROUTERS.map((router) => [router, []]))
  for (let round = 0; round < ROUNDS; round += 1)
    for (let turn = 0; turn < ROUTERS.length; turn += 1) {
      const router = ROUTERS[(turn + round) % ROUTERS.length] ?? 'round-robin'
      const count = Math.ceil(requests_per_s * ROUND_S)
      const requests = drawnRequests({ requests_per_s, count, seed: 501 + round, sessions: SESSIONS, text: turn + round * ROUTERS.length })
      bed.route(bed.engines, router, { prefill_s_per_token, step_s, step_s_per_sequence })
      for (const { ttft_s } of await run(bed, requests)) real.get(router)?.push(ttft_s)
      for (const { ttft_s } of simulateRequests(calibrated, requests, { replicas: REPLICAS, router })) simulation.get(router)?.push(ttft_s)
    }
  await bed.stop()
  printComparison(real, simulation)
}

type Times = ReadonlyMap<RouterName, readonly number[]>

function printComparison(real: Times, simulation: Times): void {
  const of = (times: Times, router: RouterName): number => mean(times.get(router) ?? [])
  printTable(
    ['router', 'mean ttft ms', 'sim.'],
    ROUTERS.map((router) => [router, showMilliseconds(of(real, router)), showMilliseconds(of(simulation, router))]),
  )
  const pairs = ROUTERS.flatMap((one, index) => ROUTERS.slice(index + 1).map((other) => [one, other] as const))
  const rows = pairs.map(([one, other]) => {
    const difference = differenceOf(real.get(one) ?? [], real.get(other) ?? [])
    const decided = Math.abs(difference.mean) > difference.half
    const same = Math.sign(difference.mean) === Math.sign(of(simulation, one) - of(simulation, other))
    return { one, other, difference, decided, same, simulated: of(simulation, one) - of(simulation, other) }
  })
  printTable(
    ['first token: one less the other', 'ms, 95 %', 'sim.', ''],
    rows.map(({ one, other, difference, decided, same, simulated: sim }) => [
      `${one} less ${other}`,
      `${showMilliseconds(difference.mean)} ± ${showMilliseconds(difference.half)}`,
      showMilliseconds(sim),
      decided ? (same ? 'same order' : 'OTHER ORDER') : 'no difference shown',
    ]),
  )
  const decided = rows.filter((row) => row.decided)
  console.log(
    `of ${rows.length} pairs ${decided.length} differ in reality, ${decided.filter(({ same }) => same).length} of them in the simulator's order\n`,
  )
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Request by request: both had the same arrivals and lengths. */
function differenceOf(one: readonly number[], other: readonly number[]): { readonly mean: number; readonly half: number } {
  const differences = one.map((value, index) => value - (other[index] ?? Number.NaN))
  const batches = Array.from({ length: Math.floor(differences.length / BATCH) }, (_, index) =>
    mean(differences.slice(BATCH * index, BATCH * (index + 1))),
  )
  const middle = mean(batches)
  const variance = batches.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (batches.length - 1)
  return { mean: mean(differences), half: 1.96 * Math.sqrt(variance / batches.length) }
}
