// A strategy in the shorthand of the field.

import type { Strategy } from '../strategy.ts'

export function strategyText(strategy: Strategy): string {
  const { tensor, sequenceParallel, context, contextBy, pipeline, virtual, schedule, expert, data, microbatch, recompute } = strategy
  const { shards, shardGroup, optimizerOn, recomputeModules } = strategy
  return [
    `TP${tensor}${sequenceParallel ? '+SP' : ''}`,
    ...(context > 1 ? [`CP${context}${contextBy === 'ring' ? '' : ' by all-to-all'}`] : []),
    `PP${pipeline}${virtual > 1 ? `x${virtual}` : ''}${pipeline > 1 && NAMED.has(schedule) ? ` ${schedule}` : ''}`,
    ...(expert > 1 ? [`EP${expert}${dispatchText(strategy)}`] : []),
    `DP${data}`,
    `mb${microbatch}`,
    ...(recompute === 'none' ? [] : [`${recompute} recompute${recomputeModules ? ` of ${recomputeModules.join(', ')}` : ''}`]),
    ...(shards === 'nothing' ? [] : [`${shards} sharded${shardGroup === undefined ? '' : ` in groups of ${shardGroup}`}`]),
    ...(optimizerOn === 'device' ? [] : [`optimizer on ${optimizerOn}`]),
  ].join(' ')
}

/** Schedules that the number of chunks does not tell. */
const NAMED: ReadonlySet<Strategy['schedule']> = new Set(['gpipe', 'zero-bubble', 'dualpipe'])

const dispatchText = ({ dispatcher, dispatchPrecision, expertOverlap }: Strategy): string =>
  [
    ...(dispatcher === undefined ? [] : [` by ${dispatcher}`]),
    ...(dispatchPrecision === 'fp8' ? [' in fp8'] : []),
    ...(expertOverlap === true ? [' overlapped'] : []),
  ].join('')
