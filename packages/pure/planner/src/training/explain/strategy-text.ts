// A strategy in the shorthand of the field.

import type { Strategy } from '../strategy.ts'

export function strategyText(strategy: Strategy): string {
  const { tensor, sequenceParallel, context, contextBy, pipeline, virtual, expert, data, microbatch, recompute } = strategy
  const { shards, shardGroup, optimizerOn } = strategy
  return [
    `TP${tensor}${sequenceParallel ? '+SP' : ''}`,
    ...(context > 1 ? [`CP${context}${contextBy === 'ring' ? '' : ' by all-to-all'}`] : []),
    `PP${pipeline}${virtual > 1 ? `x${virtual}` : ''}`,
    ...(expert > 1 ? [`EP${expert}`] : []),
    `DP${data}`,
    `mb${microbatch}`,
    ...(recompute === 'none' ? [] : [`${recompute} recompute`]),
    ...(shards === 'nothing' ? [] : [`${shards} sharded${shardGroup === undefined ? '' : ` in groups of ${shardGroup}`}`]),
    ...(optimizerOn === 'device' ? [] : [`optimizer on ${optimizerOn}`]),
  ].join(' ')
}
