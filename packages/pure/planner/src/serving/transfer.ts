// The key-value cache of a prompt on its way from the replica that made it to the one that decodes.

import { PORT_EFFICIENCY } from '../machine/fabric.ts'
import { sequenceBytes } from './memory.ts'
import type { ReplicaDesign } from './replica-design.ts'

/** Every device sends its part through its own port. */
export const transferTime = (replica: ReplicaDesign, input: number): number =>
  sequenceBytes(replica, input) / (replica.machine.fabric.portBandwidth * PORT_EFFICIENCY)

/** Requests a second whose prompts' caches pass the ports of a replica: each prompt lies on one copy of the attention. */
export const transferLimit = (replica: ReplicaDesign, input: number): number => replica.layout.data / transferTime(replica, input)
