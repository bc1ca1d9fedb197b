// The time of one optimizer step, split by cause. Stages are unequal (embedding first, head and loss last), so the pipeline is timed
// by its slowest stage and filled and drained by all of them.

import { STEP_CAUSES } from '@ironlaw/contracts'
import { bare } from '@ironlaw/laws/law'
import { slowestNode } from '@ironlaw/laws/parallelism/synchronization'
import { dualPipeBubble, interleavedBubble, zeroBubble } from '@ironlaw/laws/pipeline/pipeline'
import { sendTime } from '../../machine/fabric.ts'
import { exposedTime, microbatchExchanges, stepExchanges, wholeTime } from './data-exchange.ts'
import type { Work } from './layer-time.ts'
import { withinLinks } from './link-time.ts'
import type { StepTime } from './timed-step.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Setup } from '../job.ts'
import { inFlight } from '../memory/in-flight.ts'
import { divisionLimits } from '../search/legality.ts'
import { microbatchesOf } from '../search/microbatches.ts'
import { offloadTime, optimizerTime } from './optimizer-time.ts'
import { type Profile, profileOf } from '../search/profile.ts'
import { type Stage, stageKinds } from '../search/stages.ts'
import { devicesOf, type Strategy } from '../strategy.ts'
import { stageMessages } from './stage-messages.ts'

const slowestNodeOf = bare(slowestNode)
const interleavedBubbleOf = bare(interleavedBubble)
const zeroBubbleOf = bare(zeroBubble)
const dualPipeBubbleOf = bare(dualPipeBubble)

/** One microbatch on one stage, forward and backward. */
export type StageTime = {
  forward: number
  backward: number
  recompute: number
  launch: number
  send: number
  /** Messages between stages that work hides. */
  hiddenSend: number
  layers: number
  /** Of these, those with routed experts. */
  expertLayers: number
  elements: number
  routed: number
  /** Elements that are not trained, in layers and their experts. */
  frozen: number
  frozenRouted: number
  /** Of the frozen ones, those of token table and head. */
  frozenEnds: number
  /** FLOP per step of Muon, for routed experts apart. */
  orthogonalizing: number
  orthogonalizingRouted: number
  readonly parts: Record<keyof Work, number>
}

export function stepTime(setup: Setup, strategy: Strategy, profile: Profile = profileOf(setup, strategy)): StepTime {
  return stepOf(setup, strategy, stageTimes(setup, strategy, profile))
}

/** Stages that do the same work, timed once. However a strategy shards its states, these stay the same. */
export type TimedStages = readonly { readonly stage: Stage; readonly times: number; readonly time: StageTime }[]

export const stageTimes = (setup: Setup, strategy: Strategy, profile: Profile): TimedStages =>
  stageKinds(setup.job.architecture.layout, profile.groups.length, strategy.pipeline).map(({ stage, times }) => ({
    stage,
    times,
    time: stageTime(setup, strategy, { stage, profile }),
  }))

export function stepOf(setup: Setup, strategy: Strategy, stages: TimedStages): StepTime {
  const { machine, job } = setup
  const microbatches = microbatchesOf(job, strategy)
  let slowest: StageTime | undefined
  let gather = 0
  let gathered = 0
  let longest = 0
  let sum = 0
  let data = 0
  let exchanged = 0
  let optimizer = 0
  let offload = 0
  for (const { time, times } of stages) {
    const microbatchly = microbatchExchanges(setup, strategy, time)
    const gathering = exposedTime(microbatchly)
    const period = time.forward + time.backward + time.send + gathering
    sum += times * period
    if (!slowest || period > longest) {
      slowest = time
      gather = gathering
      gathered = wholeTime(microbatchly)
      longest = period
    }
    const once = stepExchanges(setup, strategy, time)
    data = Math.max(data, exposedTime(once))
    exchanged = Math.max(exchanged, wholeTime(once))
    optimizer = Math.max(optimizer, optimizerTime(setup, strategy, time))
    offload = Math.max(offload, offloadTime(setup, strategy, time))
  }
  if (!slowest) throw new Error('a pipeline has at least one stage')
  const { parts, recompute, launch, send } = slowest
  const unpaired = unpairedTime(strategy, microbatches, parts.hiddenExpert)
  const causes = {
    products: microbatches * parts.products,
    attention: microbatches * parts.attention,
    vector: microbatches * parts.vector,
    recompute: microbatches * recompute,
    tensor: microbatches * parts.tensor,
    context: microbatches * parts.context,
    expert: microbatches * parts.expert + unpaired,
    launch: microbatches * launch,
    send: microbatches * send,
    bubble: bubbleTime(setup, strategy, { slowest, others: Math.max(0, sum - longest) }),
    straggler: stragglerTime(machine, strategy, microbatches * (slowest.forward + slowest.backward)),
    data: data + microbatches * gather,
    optimizer,
    offload,
  }
  let total = 0
  for (const cause of STEP_CAUSES) total += causes[cause]
  const { hiddenTensor, hiddenContext, hiddenExpert } = parts
  return withinLinks(setup, strategy, {
    total,
    causes,
    hidden: {
      tensor: microbatches * hiddenTensor,
      context: microbatches * hiddenContext,
      expert: microbatches * hiddenExpert - unpaired,
      send: microbatches * slowest.hiddenSend,
      data: Math.max(0, microbatches * (gathered - gather) + exchanged - data),
    },
  })
}

/**
 * Exchanges with experts that nothing hides although the strategy overlaps them: passes while the pipeline fills and drains have no partner,
 * and without a pipeline the first forward and the last backward pass.
 */
export function unpairedTime(strategy: Strategy, microbatches: number, hidden: number): number {
  if (strategy.expertOverlap !== true) return 0
  const filling = strategy.pipeline === 1 ? 1 : strategy.schedule === 'dualpipe' ? strategy.pipeline : inFlight(strategy, 0, microbatches)
  return hidden * Math.min(microbatches, filling)
}

/** Exposed gathering and scattering of sharded weights, every microbatch. */
const gatherTime = (setup: Setup, strategy: Strategy, time: StageTime): number => exposedTime(microbatchExchanges(setup, strategy, time))

export const periodOf = (setup: Setup, strategy: Strategy, time: StageTime): number =>
  time.forward + time.backward + time.send + gatherTime(setup, strategy, time)

/** Everybody waits for the slowest node: the expected maximum of as many draws as there are nodes. */
function stragglerTime({ fabric }: Machine, strategy: Strategy, work: number): number {
  const nodes = devicesOf(strategy) / fabric.perNode
  if (nodes <= 1) return 0
  return slowestNodeOf({ workTime: work, spread: fabric.nodeSpread, nodes })
}

type FilledPipeline = { readonly slowest: StageTime; readonly others: number }

/**
 * Filling and draining: the other stages once. Interleaving divides it by the chunks per rank; zero-bubble schedules fill it with weight
 * gradients, half of the backward pass (none of it where weights are frozen), and leave (p - 1)(F + B - 2W) (Qi et al. 2023, ZB-H1);
 * DualPipe runs from both ends at once and leaves (p / 2 - 1)(F&B + B - 3W), F&B being one forward and one backward pass side by side (DeepSeek-V3 report, 2024). The replay of
 * timeline.ts says that this is exact for B = F + W and up to one forward pass too much, once a step, where B is longer.
 */
function bubbleTime({ job: { policy } }: Setup, { schedule, virtual, pipeline }: Strategy, { slowest, others }: FilledPipeline): number {
  if (pipeline === 1) return 0
  const { forward, backward } = slowest
  // The laws speak of equal stages; ours are stretched or shrunk to the mean of the others.
  const unequal = others / ((pipeline - 1) * (forward + backward))
  const passes = { stages: pipeline, forwardTime: forward, backwardTime: backward, weightTime: policy.adapter ? 0 : backward / 2 }
  switch (schedule) {
    case '1f1b':
    case 'gpipe':
    case 'interleaved':
      return unequal * interleavedBubbleOf({ stages: pipeline, forwardTime: forward, backwardTime: backward, virtualStages: virtual })
    case 'zero-bubble':
      return unequal * zeroBubbleOf(passes)
    case 'dualpipe':
      return unequal * dualPipeBubbleOf(passes)
  }
}

function stageTime(setup: Setup, strategy: Strategy, { stage, profile }: { stage: Stage; profile: Profile }): StageTime {
  const time: StageTime = {
    forward: 0, backward: 0, recompute: 0, launch: 0, send: 0, hiddenSend: 0, layers: 0, expertLayers: 0, elements: 0, routed: 0, frozen: 0, frozenRouted: 0, frozenEnds: 0, orthogonalizing: 0, orthogonalizingRouted: 0,
    parts: { products: 0, attention: 0, vector: 0, tensor: 0, context: 0, expert: 0, hiddenTensor: 0, hiddenContext: 0, hiddenExpert: 0 },
  } // prettier-ignore
  for (let at = 0; at < profile.groups.length; at += 1) {
    const group = profile.groups[at]
    if (!group) continue
    const layers = stage.layers[at] ?? 0
    const ends = (stage.first && group.isInput) || (stage.last && group.isOutput) ? 1 : 0
    const count = layers + ends
    if (count === 0) continue
    addWork(time.parts, group.work, count)
    time.forward += count * group.forward
    time.backward += count * group.backward
    time.layers += layers
    if (group.memory.routed > 0) time.expertLayers += layers
    const { adapter } = setup.job.policy
    const outside = (ends * group.memory.parameters) / strategy.tensor
    const dense = layers * group.memory.dense + outside
    time.elements += adapter ? layers * group.memory.adapters : dense
    time.routed += adapter ? 0 : count * group.memory.routed
    time.orthogonalizing += layers * group.memory.orthogonalizing
    time.orthogonalizingRouted += layers * group.memory.orthogonalizingRouted
    if (adapter) {
      time.frozen += dense
      time.frozenEnds += outside
      time.frozenRouted += count * group.memory.routed
    }
    if (strategy.recompute !== 'none') time.recompute += layers * group.time.again[strategy.recompute]
    // Of two forward passes, the reference model's is not computed again.
    if (strategy.recompute === 'full') addRepeated(time.parts, group.time.forward, setup.job.reference ? layers / 2 : layers)
  }
  return withFloors(setup, strategy, time)
}

function addWork(parts: Record<keyof Work, number>, work: Work, count: number): void {
  parts.products += count * work.products
  parts.attention += count * work.attention
  parts.vector += count * work.vector
  parts.tensor += count * work.tensor
  parts.context += count * work.context
  parts.expert += count * work.expert
  parts.hiddenTensor += count * work.hiddenTensor
  parts.hiddenContext += count * work.hiddenContext
  parts.hiddenExpert += count * work.hiddenExpert
}

/** Exchanges of a forward pass that runs again: their time is recomputation's, the links carry them once more. */
function addRepeated(parts: Record<keyof Work, number>, work: Work, count: number): void {
  parts.hiddenTensor += count * (work.tensor + work.hiddenTensor)
  parts.hiddenContext += count * (work.context + work.hiddenContext)
  parts.hiddenExpert += count * (work.expert + work.hiddenExpert)
}

/** The host's launch rate as a floor under the device's time, and the message to the next stage. */
function withFloors(setup: Setup, strategy: Strategy, time: StageTime): StageTime {
  const { job, machine } = setup
  const { fabric, runtime } = machine
  const busy = time.forward + time.backward + time.recompute
  const exchanges = strategy.tensor > 1 ? 2 * runtime.launchExchange_s : 0
  const { layers, expertLayers } = time
  const experts = expertLayers === 0 ? 0 : divisionLimits(job).experts / strategy.expert
  const launchForward = layers * (runtime.launchForward_s + exchanges) + expertLayers * experts * runtime.launchExpertForward_s
  const launchBackward =
    layers * (runtime.launchBackward_s + exchanges) +
    expertLayers * experts * runtime.launchExpertBackward_s +
    (strategy.recompute === 'full' ? launchForward : 0)
  time.forward = Math.max(time.forward, launchForward)
  time.backward = Math.max(time.backward + time.recompute, launchBackward)
  time.launch = Math.max(0, time.forward + time.backward - busy)
  if (strategy.pipeline > 1) {
    // Tensor-parallel ranks each send their slice and gather it again inside the node.
    const message =
      (strategy.microbatch * job.sequence * job.architecture.width * job.policy.activation) / strategy.context / strategy.tensor
    const hop =
      sendTime(fabric, message, { size: strategy.pipeline, stride: strategy.tensor * strategy.context * strategy.data }) +
      runtime.launchStage_s
    const sends = stageMessages(strategy) * hop
    // Chunks in between hide messages, as far as there is work in them.
    time.hiddenSend = strategy.schedule === 'interleaved' ? Math.min(runtime.sendOverlap * sends, time.forward + time.backward) : 0
    time.send = sends - time.hiddenSend
  }
  return time
}
