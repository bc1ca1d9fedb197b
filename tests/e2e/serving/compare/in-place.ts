// How much longer steps take than calibrated where engines run in earnest: beside each other, the gateway and the clients, on the same
// cores. Clients ask one question after another for a few seconds; these requests are in no trace that is scored.

import type { Bed, RunningEngine } from './bed.ts'
import { asked } from './replay.ts'
import type { Calibrated } from './simulated.ts'
import { stepRatio } from './step-ratio.ts'
import { drawnRequests } from './trace.ts'

const CLIENTS = 4
const LASTS_S = 6

/** Measured over calibrated seconds of all steps, with these engines busy. */
export async function inPlace(bed: Bed, engines: readonly RunningEngine[], { engine }: Calibrated): Promise<number> {
  bed.route(engines, 'least-tokens')
  const requests = [...drawnRequests({ requests_per_s: 1, count: 1000, seed: 40 + engines.length })]
  const from_s = (performance.timeOrigin + performance.now()) / 1000
  const until_s = from_s + LASTS_S
  const client = async (): Promise<void> => {
    for (let request = requests.pop(); request; request = requests.pop()) {
      const { ended_s } = await asked(bed.url, request, 0)
      if (ended_s > until_s) return
    }
  }
  await Promise.all(Array.from({ length: CLIENTS * engines.length }, client))
  return stepRatio(engines, engine, { from_s, until_s })
}
