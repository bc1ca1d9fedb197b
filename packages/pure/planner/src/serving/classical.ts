// Serving of models that answer in one pass (vision, recommendation, encoders): batches whose time is linear in their size, collected for a
// window, before a pool of equal servers. Thin over the laws.

import { batchServiceTime } from '@ironlaw/laws/batching/service'
import { latencyBudget } from '@ironlaw/laws/latency/stages'
import { fanOutTail } from '@ironlaw/laws/latency/tail'
import { mmcP99, mmcWait } from '@ironlaw/laws/queueing/many-servers'
import { mg1 } from '@ironlaw/laws/queueing/single-server'
import { quantity } from '@ironlaw/units'

/** S(B) = fixed + perItem B. */
export type BatchedModel = { readonly fixed_s: number; readonly perItem_s: number }

export type BatchedLoad = {
  readonly requests_per_s: number
  /** A batch leaves when it is full or this old. */
  readonly window_s: number
  readonly batchMost: number
  readonly servers: number
}

export type BatchedState = {
  readonly saturated: boolean
  readonly batch: number
  readonly service_s: number
  readonly utilization: number
  readonly mean_s: number
  readonly p99_s: number
}

const one = (value: number) => quantity(value, '1')
const time = (value: number) => quantity(value, 's')

/** A window that opens with a first request holds those that come while it is open. */
export function batchedState({ fixed_s, perItem_s }: BatchedModel, load: BatchedLoad): BatchedState {
  const perServer = load.requests_per_s / load.servers
  const collected = Math.min(load.batchMost, 1 + perServer * load.window_s)
  // Where a batch takes longer to serve than to collect, requests pile up until batches are as large as they must be.
  const needed = perServer * perItem_s < 1 ? (perServer * fixed_s) / (1 - perServer * perItem_s) : Infinity
  const batch = Math.min(load.batchMost, Math.max(collected, needed))
  const service = batchServiceTime.of({ fixedTime: time(fixed_s), timePerItem: time(perItem_s), batch: one(Math.max(1, batch)) })
  const utilization = (perServer * service) / Math.max(1, batch)
  if (utilization >= 1) return { saturated: true, batch, service_s: service, utilization, mean_s: Infinity, p99_s: Infinity }
  const filled = Math.min(load.window_s, (load.batchMost - 1) / perServer)
  const pool = { servers: one(load.servers), utilization: one(utilization), serviceTime: time(service) }
  return {
    saturated: false,
    batch,
    service_s: service,
    utilization,
    mean_s: filled / 2 + service + mmcWait.of(pool),
    p99_s: filled + mmcP99.of(pool),
  }
}

/** Mean wait before one server, from none for constant service to ever more as jobs differ. */
export const waitBefore = ({ service_s, utilization, serviceCv }: { service_s: number; utilization: number; serviceCv: number }): number =>
  service_s * mg1.of({ utilization: one(utilization), serviceCv: one(serviceCv), serviceTime: time(service_s) })

/** Stages one after the other. */
export const budgetSlack = (stages_s: readonly number[], budget_s: number): { readonly total_s: number; readonly slack_s: number } => {
  const total = latencyBudget.of({ stage: stages_s.map(time), latencyBudget: time(budget_s) })
  return { total_s: total, slack_s: budget_s - total }
}

export type CascadeStage = {
  readonly time_s: number
  readonly cost_usd: number
  /** Of what reaches the stage. */ readonly passedOn: number
}

/** Each stage answers what it is sure of and passes the rest on: what a request takes and costs on average, and at worst. */
export function cascade(stages: readonly CascadeStage[]): { readonly mean_s: number; readonly worst_s: number; readonly mean_usd: number } {
  let reaching = 1
  const sum = { mean_s: 0, worst_s: 0, mean_usd: 0 }
  for (const { time_s, cost_usd, passedOn } of stages) {
    sum.mean_s += reaching * time_s
    sum.worst_s += time_s
    sum.mean_usd += reaching * cost_usd
    reaching *= passedOn
  }
  return sum
}

/** Members run at once and all are waited for: the slowest sets the time, and the tail grows with their number. */
export function ensemble(members_s: readonly number[], slowShare: number): { readonly time_s: number; readonly slowShare: number } {
  return { time_s: Math.max(...members_s), slowShare: fanOutTail.of({ slowShare: one(slowShare), requests: one(members_s.length) }) }
}
