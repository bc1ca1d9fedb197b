// What measured requests teach about the calibration of their engines: factors on the costs of decoding and of prompts, and on how engines
// slow each other, for which the simulator spends as long on both as was measured. They are found by simulating again, since a step that
// takes longer also makes larger batches and longer queues.

import type { TraceRow } from '../traces/trace.ts'
import type { AccountedRequest } from './served.ts'
import { type CalibratedEngine, type ReplicaSetup, simulatedRequests } from './simulated-requests.ts'

export type EngineFactors = { readonly decode: number; readonly prefill: number; readonly sharing: readonly number[] }

/** Requests served by a number of engines, with the outcome of each; those without an outcome do not count. */
export type MeasuredCell = ReplicaSetup & {
  readonly rows: readonly TraceRow[]
  readonly measured: readonly (AccountedRequest | undefined)[]
}

const ROUNDS = 12
/** Of the way to what the ratio says: a factor moves the time by more than itself. */
const STEP = 0.6
/** A calibration that is off by more is not corrected but made anew. */
const MOST = 2

export function fittedFactors(calibrated: CalibratedEngine, cells: readonly MeasuredCell[]): EngineFactors {
  // Engines that slow each other teach about that only.
  const alone = calibrated.sharing.length === 0 ? cells : cells.filter(({ replicas }) => replicas === 1)
  let [decode, prefill] = [1, 1]
  let sharing = calibrated.sharing.map(() => 1)
  for (let round = 0; round < ROUNDS; round += 1) {
    const now = withFactors(calibrated, { decode, prefill, sharing })
    decode = movedFactor(decode, ratio(now, alone, 'decode'))
    prefill = movedFactor(prefill, ratio(now, alone, 'prefill'))
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const now = withFactors(calibrated, { decode, prefill, sharing })
    sharing = sharing.map((factor, index) => {
      const some = cells.filter(({ replicas }) => replicas === index + 1)
      return index === 0 ? factor : movedFactor(factor, ratio(now, some, 'decode'))
    })
  }
  return { decode, prefill, sharing }
}

const movedFactor = (factor: number, by: number): number => Math.min(MOST, Math.max(1 / MOST, factor * by ** STEP))

function withFactors(calibrated: CalibratedEngine, { decode, prefill, sharing }: EngineFactors): CalibratedEngine {
  const { engine } = calibrated
  const { costs } = engine
  const scaled = {
    ...costs,
    decode: costs.decode.map(({ sequences, seconds }) => ({ sequences, seconds: seconds * decode })),
    decodeKey_s: costs.decodeKey_s * decode,
    prefillSequence_s: costs.prefillSequence_s * prefill,
    prefillToken_s: costs.prefillToken_s * prefill,
    prefillPair_s: costs.prefillPair_s * prefill,
  }
  return {
    ...calibrated,
    engine: { ...engine, costs: scaled },
    sharing: calibrated.sharing.map((factor, index) => factor * (sharing[index] ?? 1)),
  }
}

/** Measured over simulated, the mean of logarithms over the cells, so that the busiest does not decide alone; 1 where there is nothing to tell. */
function ratio(calibrated: CalibratedEngine, cells: readonly MeasuredCell[], cause: 'decode' | 'prefill'): number {
  const total = (served: readonly (AccountedRequest | undefined)[]): number =>
    served.reduce((sum, each) => sum + (each?.causes[cause] ?? 0), 0)
  const logs = cells.flatMap(({ rows, measured, ...replicated }) => {
    const simulated = simulatedRequests(calibrated, rows, replicated).filter((_, index) => measured[index])
    const log = Math.log(total(measured) / total(simulated))
    return Number.isFinite(log) ? [log] : []
  })
  return logs.length === 0 ? 1 : Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length)
}
