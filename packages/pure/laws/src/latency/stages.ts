import { countOr, law, list, maybe, one, or } from '../law.ts'
import { vol1, vol2 } from '../sources.ts'

export const latencyBudget = law({
  id: 'latency/budget',
  name: 'Latency budget',
  decides: 'whether the stages of a request fit their target, and which stage to shorten first',
  is: 'sum(stage)',
  source: vol1.modelServing,
  validity: 'stages one after the other; percentiles add only as an upper bound',
  inputs: { stage: list('s'), latencyBudget: maybe('s') },
  output: 'total',
  unit: 's',
  of: ({ stage }) => stage.reduce((sum, time) => sum + time, 0),
  also: {
    slack: { unit: 's', is: 'latencyBudget - total', of: ({ latencyBudget: budget = Number.NaN }, total) => budget - total },
    frequency: { unit: '1/s', is: '1 / total', of: (_, total) => 1 / total },
    largestShare: { unit: '1', is: 'max(stage) / total', of: ({ stage }, total) => Math.max(...stage) / total },
    firstShare: { unit: '1', is: 'first(stage) / total', of: ({ stage }, total) => (stage[0] ?? 0) / total },
  },
})

export const stageSpeedup = law({
  id: 'latency/pipeline-speedup',
  name: 'Speedup of a request by one faster stage',
  decides: 'whether a faster model is worth buying before the stages around it are fixed',
  is: '(stageTime + otherTime) / (stageTime / partSpeedup + otherTime)',
  source: 'G. M. Amdahl, Validity of the Single Processor Approach to Achieving Large Scale Computing Capabilities, AFIPS 1967',
  validity: 'stages one after the other; the other stages unchanged',
  inputs: { stageTime: one('s'), otherTime: one('s'), partSpeedup: one('1') },
  output: 'speedup',
  unit: '1',
  of: ({ stageTime, otherTime, partSpeedup }) => (stageTime + otherTime) / (stageTime / partSpeedup + otherTime),
  also: {
    timeBefore: { unit: 's', is: 'stageTime + otherTime', of: ({ stageTime, otherTime }) => stageTime + otherTime },
    timeAfter: {
      unit: 's',
      is: 'stageTime / partSpeedup + otherTime',
      of: ({ stageTime, otherTime, partSpeedup }) => stageTime / partSpeedup + otherTime,
    },
    reduction: { unit: '1', is: '1 - 1 / speedup', of: (_, speedup) => 1 - 1 / speedup },
    limit: { unit: '1', is: '(stageTime + otherTime) / otherTime', of: ({ stageTime, otherTime }) => (stageTime + otherTime) / otherTime },
  },
})

export const callOverhead = law({
  id: 'latency/call-overhead',
  name: 'Overhead of many small calls',
  decides: 'whether launches, dispatches or round trips cost more than the work, and what fusing them could gain',
  is: 'calls * callTime',
  source: `${vol1.mlFrameworks}; ${vol2.performanceEngineering}`,
  validity: 'calls one after the other and not hidden behind the work',
  inputs: { calls: countOr(1), callTime: one('s'), workTime: maybe('s') },
  output: 'overhead',
  unit: 's',
  of: ({ calls = 1, callTime }) => calls * callTime,
  also: {
    ratio: { unit: '1', is: 'overhead / workTime', of: ({ workTime = Number.NaN }, overhead) => overhead / workTime },
    overheadShare: {
      unit: '1',
      is: 'overhead / (overhead + workTime)',
      of: ({ workTime = Number.NaN }, overhead) => overhead / (overhead + workTime),
    },
    speedupLimit: { unit: '1', is: '1 + overhead / workTime', of: ({ workTime = Number.NaN }, overhead) => 1 + overhead / workTime },
  },
})

export const timeToFirstToken = law({
  id: 'latency/ttft',
  name: 'Time to first token',
  decides: 'whether a prompt length meets the first-token target',
  is: 'promptTokens / prefillRate + overhead',
  source: vol1.modelServing,
  validity: 'an idle replica: the wait in its queue comes on top; the prompt not cached',
  inputs: { promptTokens: one('token'), prefillRate: one('token/s'), overhead: or('s', 0) },
  output: 'ttft',
  unit: 's',
  of: ({ promptTokens, prefillRate, overhead = 0 }) => promptTokens / prefillRate + overhead,
  also: {
    prefillTime: { unit: 's', is: 'promptTokens / prefillRate', of: ({ promptTokens, prefillRate }) => promptTokens / prefillRate },
  },
})
