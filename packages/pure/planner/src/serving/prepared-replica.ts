// A replica with what is worked out of it once: the time of its steps and the room of its cache.

import { type ServingMemory, servingMemory } from './memory.ts'
import type { ReplicaDesign } from './replica-design.ts'
import { type CompiledStep, compiledStep } from './step-time.ts'

export type PreparedReplica = { readonly replica: ReplicaDesign; readonly step: CompiledStep; readonly memory: ServingMemory }

export const preparedReplica = (replica: ReplicaDesign): PreparedReplica => ({
  replica,
  step: compiledStep(replica),
  memory: servingMemory(replica),
})
