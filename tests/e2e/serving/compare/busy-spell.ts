// A few seconds of closed loop: clients ask one question after another, so that steps of engines in earnest can be timed, beside each other,
// the gateway and the clients. These requests are in no trace that is scored.

import type { Bed, RunningEngine } from './bed.ts'
import { sendRequest } from './replay.ts'
import type { TimeWindow } from './step-ratio.ts'
import { drawnRequests } from './trace.ts'

const CLIENTS = 4
const LASTS_S = 3

let windowsRun = 0

export async function runBusyWindow(bed: Bed, engines: readonly RunningEngine[]): Promise<TimeWindow> {
  bed.route(engines, 'least-tokens')
  const requests = [...drawnRequests({ requests_per_s: 1, count: 1000, seed: 40 + (windowsRun += 1) })]
  const from_s = (performance.timeOrigin + performance.now()) / 1000
  const until_s = from_s + LASTS_S
  const client = async (): Promise<void> => {
    for (let request = requests.pop(); request; request = requests.pop()) {
      const { ended_s } = await sendRequest(bed.url, request, 0)
      if (ended_s > until_s) return
    }
  }
  await Promise.all(Array.from({ length: CLIENTS * engines.length }, client))
  return { from_s, until_s }
}
