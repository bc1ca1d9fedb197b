// A replica with what is worked out of it once: the time of its steps and the room of its cache.

import { type ServingMemory, servingMemory } from './memory.ts'
import type { Replica } from './replica.ts'
import { type CompiledStep, compiledStep } from './step-time.ts'

export type Prepared = { readonly replica: Replica; readonly step: CompiledStep; readonly memory: ServingMemory }

export const prepared = (replica: Replica): Prepared => ({ replica, step: compiledStep(replica), memory: servingMemory(replica) })
