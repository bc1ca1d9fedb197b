// Time of a request outside its steps: the engine's own, and fetching its adapter from the host where that is not on the device.

import { fetchShare } from './adapters.ts'
import { adapterBytes } from './memory.ts'
import type { ReplicaDesign } from './replica-design.ts'

export function requestTime(replica: ReplicaDesign): number {
  const { runtime, adapters, machine } = replica
  if (!adapters) return runtime.request_s
  return runtime.request_s + (fetchShare(adapters) * adapterBytes(replica)) / machine.host.linkBandwidth
}
