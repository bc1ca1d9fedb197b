// New weights on their way from the trainer to the engines: every device of an engine gets its part of all weights, in 16 bits, out of the
// shards of the trainer. One gather over the devices of both sides; the collective's measured curve says how fast.

import { collectiveTime, type Fabric, spanOf } from '../machine/fabric.ts'

export const syncTime = (fabric: Fabric, { bytes, devices }: { readonly bytes: number; readonly devices: number }): number =>
  collectiveTime(fabric, { name: 'all-gather', bytes, span: spanOf(fabric, devices, 1) })
