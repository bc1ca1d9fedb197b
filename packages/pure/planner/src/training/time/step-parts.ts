// What every cause of a step is made of: operators, collectives, messages and updates by name, how often each is paid and what it costs each
// time. The causes of `stepTime` are the sums of these parts.

import { type StepCause } from '@ironlaw/contracts'
import { type DataExchange, type ExchangeInputs, microbatchExchanges, stepExchanges } from './data-exchange.ts'
import { kernelOf, operatorTime } from './layer-time.ts'
import type { Setup } from '../job.ts'
import { type LocalGroup, localGroups } from './local-operators.ts'
import { microbatchesOf } from '../search/microbatches.ts'
import { type OffloadTime, offloadParts, offloadTime, optimizerTime, orthogonalizingTime } from './optimizer-time.ts'
import { profileOf, type Profile } from '../search/profile.ts'
import { isInput, isOutput, type Stage } from '../search/stages.ts'
import { stageMessages } from './stage-messages.ts'
import { periodOf, type StageTime, stageTimes, unpairedTime } from './step-time.ts'
import { EXCHANGE_CAUSES, type StepTime } from './timed-step.ts'
import type { Strategy } from '../strategy.ts'

export type StepPart = { readonly cause: StepCause; readonly name: string; readonly count: number; readonly each_s: number }

const SHARED_LINK = 'wait for a link that exchanges fill one after the other'

type TimedStage = { readonly stage: Stage; readonly time: StageTime }

export function stepParts(setup: Setup, strategy: Strategy, step: StepTime): readonly StepPart[] {
  const { job } = setup
  const profile = profileOf(setup, strategy)
  const stages = stageTimes(setup, strategy, profile)
  const slowest = largest(stages, ({ time }) => periodOf(setup, strategy, time))
  const microbatches = microbatchesOf(job, strategy)
  const once = (cause: StepCause, name: string): StepPart => ({ cause, name, count: 1, each_s: step.causes[cause] })
  const parts: readonly StepPart[] = [
    ...layerParts(setup, strategy, { ...slowest, profile }),
    { cause: 'launch', name: 'host behind the device', count: microbatches, each_s: slowest.time.launch },
    {
      cause: 'send',
      name: 'messages between stages',
      count: microbatches * stageMessages(strategy),
      each_s: slowest.time.send / stageMessages(strategy),
    },
    {
      cause: 'expert',
      name: 'exchanges with experts that no other microbatch hides',
      count: 1,
      each_s: unpairedTime(strategy, microbatches, slowest.time.parts.hiddenExpert),
    },
    once('bubble', 'other stages filled and drained'),
    once('straggler', 'wait for the slowest node'),
    ...microbatchExchanges(setup, strategy, slowest.time).map((exchange) => dataPart(exchange, microbatches)),
    ...largestOf(stages, (time) => stepExchanges(setup, strategy, time)).map((exchange) => dataPart(exchange, 1)),
    ...updateParts(setup, strategy, stages),
    ...EXCHANGE_CAUSES.map((cause): StepPart => ({ cause, name: SHARED_LINK, count: 1, each_s: step.contention?.[cause] ?? 0 })),
  ]
  return parts.filter(({ count, each_s }) => count * each_s > 0)
}

const largest = (stages: readonly TimedStage[], measure: (timed: TimedStage) => number): TimedStage =>
  stages.reduce((most, timed) => (measure(timed) > measure(most) ? timed : most))

const largestOf = (stages: readonly TimedStage[], exchanges: (stage: ExchangeInputs) => readonly DataExchange[]): readonly DataExchange[] =>
  exchanges(largest(stages, ({ time }) => exchanges(time).reduce((sum, { exposed }) => sum + exposed, 0)).time)

const dataPart = ({ name, bytesPerParameter, exposed }: DataExchange, count: number): StepPart => ({
  cause: 'data',
  name: `${name} of ${name === 'all-gather' ? 'weights' : 'gradients'}, ${bytesPerParameter} bytes each`,
  count,
  each_s: exposed,
})

type ProfiledStage = TimedStage & { readonly profile: Profile }

/** Everything that a stage's layers and ends cost, group by group. */
function layerParts(setup: Setup, strategy: Strategy, { stage, profile }: ProfiledStage): readonly StepPart[] {
  const microbatches = microbatchesOf(setup.job, strategy)
  return localGroups(setup.job, strategy).flatMap((group, at): StepPart[] => {
    const layers = stage.layers[at] ?? 0
    const count = microbatches * (layers + ((stage.first && isInput(group)) || (stage.last && isOutput(group)) ? 1 : 0))
    const time = profile.groups[at]?.time
    if (count === 0 || !time) return []
    const exchange = (cause: 'tensor' | 'context' | 'expert', name: string): StepPart => ({
      cause,
      name: `${group.name}: ${name}, not hidden by compute`,
      count,
      each_s: time.forward[cause] + time.backward[cause],
    })
    return [
      ...operatorParts(setup, group, count),
      exchange('tensor', strategy.sequenceParallel ? 'all-gather and reduce-scatter' : 'all-reduce'),
      exchange('context', strategy.contextBy === 'ring' ? 'ring of keys and values' : 'all-to-all of heads'),
      exchange('expert', `tokens to experts and back by ${strategy.dispatcher ?? 'alltoall'}`),
      ...(strategy.recompute === 'none'
        ? []
        : [
            {
              cause: 'recompute',
              name: `${group.name}, ${strategy.recompute}`,
              count: microbatches * layers,
              each_s: time.again[strategy.recompute],
            } as const,
          ]),
    ]
  })
}

const operatorParts = (setup: Setup, group: LocalGroup, count: number): readonly StepPart[] =>
  group.operators.map((local) => ({
    cause: kernelOf(local),
    name: `${group.name}: ${local.name}, forward and backward`,
    count,
    each_s: (setup.job.reference ? 2 : 1) * operatorTime(setup, local, false) + operatorTime(setup, local, true),
  }))

const OFFLOADED: Readonly<Record<keyof OffloadTime, string>> = {
  down: 'gradients to the host, beyond the last backward pass',
  update: 'update on the host processor, overlapped with copying weights to the device',
  up: 'weights to the device, overlapped with the update',
  drive: 'states read from and written to the drive, overlapped with the update',
}

function updateParts(setup: Setup, strategy: Strategy, stages: readonly TimedStage[]): readonly StepPart[] {
  const updated = largest(stages, ({ time }) => optimizerTime(setup, strategy, time)).time
  const orthogonal = orthogonalizingTime(setup, strategy, updated)
  const update: readonly StepPart[] = [
    { cause: 'optimizer', name: 'norms, update, copies', count: 1, each_s: optimizerTime(setup, strategy, updated) - orthogonal },
    { cause: 'optimizer', name: 'Newton-Schulz iterations of Muon', count: 1, each_s: orthogonal },
  ]
  if (strategy.optimizerOn === 'device') return update
  const { down, ...overlapped } = offloadParts(setup, strategy, largest(stages, ({ time }) => offloadTime(setup, strategy, time)).time)
  const slowest = (['update', 'up', 'drive'] as const).reduce((most, way) => (overlapped[way] > overlapped[most] ? way : most))
  return [
    ...update,
    { cause: 'offload', name: OFFLOADED.down, count: 1, each_s: down },
    { cause: 'offload', name: OFFLOADED[slowest], count: 1, each_s: overlapped[slowest] },
  ]
}
