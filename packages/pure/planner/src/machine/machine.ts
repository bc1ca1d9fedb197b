// What a training job runs on, as the time of a step is computed from it.

import type { Runtime } from '../training/time/runtime.ts'
import type { Fabric } from './fabric.ts'
import type { Host } from './host.ts'
import type { Engine } from './kernels.ts'
import type { Silicon } from './silicon.ts'

export type Machine = {
  readonly fabric: Fabric
  readonly silicon: Silicon
  readonly engine: Engine
  readonly runtime: Runtime
  readonly host: Host
  readonly curve: string
}
