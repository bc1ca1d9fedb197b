// What the exchanges of a step share: a device has one link inside its node and one port out of it, and exchanges that would each hide under
// the work of the device hide one after the other. A step is never shorter than what its fullest link has to carry.

import type { Setup } from '../job.ts'
import { microbatchesOf } from '../search/microbatches.ts'
import { devicesOf, type Strategy } from '../strategy.ts'
import { stageMessages } from './stage-messages.ts'
import { EXCHANGE_CAUSES, type ExchangeCause, type StepTime } from './timed-step.ts'

/** Seconds of a step, by what of the network the exchanges hold: the link inside the node, or the port out of it. */
export type LinkSeconds = { readonly link: number; readonly port: number }

export function linkSeconds(setup: Setup, strategy: Strategy, { causes, hidden }: Pick<StepTime, 'causes' | 'hidden'>): LinkSeconds {
  const { perNode } = setup.machine.fabric
  const launches = launchTime(setup, strategy)
  const held = (cause: ExchangeCause): number => Math.max(0, causes[cause] + hidden[cause] - (cause === 'send' ? launches : 0))
  const sum = (crosses: boolean): number =>
    EXCHANGE_CAUSES.reduce((time, each) => (spanOf(strategy, each) > perNode === crosses ? time + held(each) : time), 0)
  return { link: sum(false), port: sum(true) }
}

/** While the host launches a message, no link carries it. */
const launchTime = ({ machine: { runtime }, job }: Setup, strategy: Strategy): number =>
  strategy.pipeline === 1 ? 0 : microbatchesOf(job, strategy) * stageMessages(strategy) * runtime.launchStage_s

/** The same step where its links suffice, a longer one where they do not. Called for every strategy of a search: most return at once. */
export function withinLinks(setup: Setup, strategy: Strategy, step: StepTime): StepTime {
  const { fabric } = setup.machine
  const { total, causes, hidden } = step
  const exposed = causes.tensor + causes.context + causes.expert + causes.send + causes.data
  if (exposed + hidden.tensor + hidden.context + hidden.expert + hidden.send + hidden.data <= total) return step
  const { link, port } = linkSeconds(setup, strategy, step)
  const excess = Math.max(link, port) - total
  if (excess <= total * 1e-12) return step
  const waiting = EXCHANGE_CAUSES.filter((cause) => hidden[cause] > 0 && spanOf(strategy, cause) > fabric.perNode === port > link)
  const sum = waiting.reduce((seconds, cause) => seconds + hidden[cause], 0)
  const contention = Object.fromEntries(waiting.map((cause) => [cause, (excess * hidden[cause]) / sum]))
  const left = Object.fromEntries(waiting.map((cause) => [cause, hidden[cause] - (excess * hidden[cause]) / sum]))
  const waited = Object.fromEntries(waiting.map((cause) => [cause, causes[cause] + (excess * hidden[cause]) / sum]))
  return { total: total + excess, causes: { ...causes, ...waited }, hidden: { ...hidden, ...left }, contention }
}

/** Devices between the first and the last of a group: neighbours in rank order share a node, and a group that spans more leaves it. */
function spanOf(strategy: Strategy, cause: ExchangeCause): number {
  switch (cause) {
    case 'tensor':
      return strategy.tensor
    case 'context':
      return strategy.tensor * strategy.context
    case 'expert':
      return strategy.expert
    case 'send':
      return devicesOf(strategy)
    case 'data':
      return devicesOf(strategy) / strategy.pipeline
  }
}
