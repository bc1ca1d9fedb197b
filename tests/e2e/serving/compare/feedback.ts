// What a replay teaches about the calibration: factors on the costs of decoding and of prompts, and on how engines slow each other, for
// which the simulator spends as long on both as was measured. They are found by simulating again, since a step that takes longer also
// makes larger batches and longer queues.

import type { Served } from './served.ts'
import { type Calibrated, simulated } from './simulated.ts'
import type { Request } from './trace.ts'

export type Cell = { readonly replicas: number; readonly requests: readonly Request[]; readonly measured: readonly Served[] }

const ROUNDS = 12
/** Of the way to what the ratio says: a factor moves the time by more than itself. */
const STEP = 0.6

export type Factors = { readonly decode: number; readonly prefill: number; readonly sharing: readonly number[] }

export function taught(calibrated: Calibrated, cells: readonly Cell[]): Factors {
  const alone = cells.filter(({ replicas }) => replicas === 1)
  let [decode, prefill] = [1, 1]
  let sharing = calibrated.sharing.map(() => 1)
  for (let round = 0; round < ROUNDS; round += 1) {
    const now = withFactors(calibrated, { decode, prefill, sharing })
    decode *= ratio(now, alone, 'decode') ** STEP
    prefill *= ratio(now, alone, 'prefill') ** STEP
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const now = withFactors(calibrated, { decode, prefill, sharing })
    sharing = sharing.map((factor, index) => {
      const some = cells.filter(({ replicas }) => replicas === index + 1)
      return index === 0 || some.length === 0 ? factor : factor * ratio(now, some, 'decode') ** STEP
    })
  }
  return { decode, prefill, sharing }
}

function withFactors(calibrated: Calibrated, { decode, prefill, sharing }: Factors): Calibrated {
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

/** Measured over simulated, the mean of logarithms over the cells, so that the busiest does not decide alone. */
function ratio(calibrated: Calibrated, cells: readonly Cell[], cause: 'decode' | 'prefill'): number {
  const total = (served: readonly Served[]): number => served.reduce((sum, { causes }) => sum + causes[cause], 0)
  const logs = cells.map(({ replicas, requests, measured }) =>
    Math.log(total(measured) / total(simulated(calibrated, requests, { replicas, router: 'round-robin' }))),
  )
  return Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length)
}
