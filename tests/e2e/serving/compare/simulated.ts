// The same requests through the simulator, with the engine as it was calibrated.

import { BLOCK_CHARACTERS } from '@ironlaw/policies/serving'
import { type CalibratedEngine, type ReplicaSetup, type AccountedRequest, simulatedRequests } from '@ironlaw/simulator/serving'
import { type Request, rowsOf } from './trace.ts'

export const simulateRequests = (
  calibrated: CalibratedEngine,
  requests: readonly Request[],
  replicated: ReplicaSetup,
): readonly AccountedRequest[] => simulatedRequests(calibrated, rowsOf(requests), { ...replicated, hashTokens: BLOCK_CHARACTERS })

/** Requests a second when all come at once. */
export function capacity(calibrated: CalibratedEngine, requests: readonly Request[], replicas: number): number {
  const together = requests.map((request) => ({ ...request, at_s: 0 }))
  const served = simulateRequests(calibrated, together, { replicas, router: 'round-robin' })
  return served.length / Math.max(...served.map(({ latency_s }) => latency_s))
}
