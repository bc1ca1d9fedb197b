// The key-value cache of a prompt on its way from the replica that made it to the one that decodes, through ports that exchanges of a replica
// over several nodes hold as well.

import { PORT_EFFICIENCY } from '../machine/fabric.ts'
import { sequenceBytes } from './memory.ts'
import type { PreparedReplica } from './prepared-replica.ts'
import type { ReplicaDesign } from './replica-design.ts'
import type { StepWork } from './step-time.ts'

/** Every device sends its part through its own port. */
export const transferTime = (replica: ReplicaDesign, input: number): number =>
  sequenceBytes(replica, input) / (replica.machine.fabric.portBandwidth * PORT_EFFICIENCY)

/** Requests a second whose prompts' caches pass the ports of a replica: each prompt lies on one copy of the attention. */
export const transferLimit = (replica: ReplicaDesign, input: number): number => replica.layout.data / transferTime(replica, input)

/** Whether exchanges of a step leave the node. */
export const spansNodes = ({ layout, machine }: ReplicaDesign): boolean => layout.tensor * layout.data > machine.fabric.perNode

/** Of the time of the ports, what steps leave for caches. */
export function portLeft({ replica, step }: PreparedReplica, work: StepWork): number {
  if (!spansNodes(replica)) return 1
  const { exchange, total } = step.explained(work)
  return 1 - exchange / total
}
