// A job as people train today (flash attention, no dropout, the loss as the software fuses it) and the machine that it runs on.

import type { Catalog } from '@ironlaw/catalog'
import type { TrainingJob } from '../job.ts'
import type { Machine } from '../../machine/machine.ts'
import { machineFor } from '../../machine/machine-for.ts'
import type { Runtime } from '../time/runtime.ts'

export type UsualTraining = Pick<
  TrainingJob,
  'architecture' | 'sequence' | 'globalBatch' | 'policy' | 'visibleShare' | 'reference' | 'pairs' | 'expertImbalance'
> & {
  readonly accelerator: string
  readonly runtime: Runtime
  readonly perNode: number
  readonly portBandwidth: number | undefined
}

export function usualTraining(
  catalog: Catalog,
  { accelerator, runtime, perNode, portBandwidth, ...job }: UsualTraining,
): { readonly machine: Machine; readonly job: TrainingJob } {
  const port = portBandwidth !== undefined && portBandwidth > 0 ? { portBandwidth } : {}
  return {
    machine: machineFor(catalog, { accelerator, policy: job.policy, runtime, perNode, ...port }),
    job: { ...job, attention: 'flash', dropout: false, loss: runtime.loss, dummyGradients: false },
  }
}
