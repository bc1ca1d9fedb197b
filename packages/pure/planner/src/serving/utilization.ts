// How much of the memory's and the arithmetic's peak a decode step uses.

import { expectedExperts, type Moe, parameterCounts } from '@ironlaw/models'
import type { PreparedReplica } from './prepared-replica.ts'

export type DecodePoint = { readonly sequences: number; readonly context: number; readonly step_s: number }

export function utilizationOf(
  { replica, memory }: PreparedReplica,
  { sequences, context, step_s }: DecodePoint,
): { readonly memoryBandwidthUtilization: number; readonly flopsUtilization: number } {
  const { architecture, machine, layout, precision } = replica
  const { byPart, activeComputing } = parameterCounts(architecture)
  const moe = architecture.groups.flatMap(({ layers }) => layers).find((layer): layer is Moe => layer.kind === 'moe')
  const experts = byPart.experts ?? 0
  const unread = moe ? experts * precision.experts.bytes * (1 - expectedExperts(moe, sequences) / moe.experts) : 0
  const weights = memory.weights_bytes - unread / (layout.tensor * layout.data * layout.pipeline)
  const cache = (sequences / layout.data) * context * memory.token_bytes
  const devices = layout.tensor * layout.data * layout.pipeline
  return {
    memoryBandwidthUtilization: (weights + cache) / layout.pipeline / (step_s / layout.pipeline) / machine.bandwidth,
    flopsUtilization: (2 * activeComputing * sequences) / devices / step_s / machine.peaks[precision.dense.curve],
  }
}
