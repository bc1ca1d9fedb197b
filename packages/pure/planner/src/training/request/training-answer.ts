// The answer to a training request: the plans, the one that serves goal, budget and deadline, what of the request it breaks, and what a
// person should know before believing it. Decided here once; command line, `apply` and console only show it.

import type { Catalog } from '@ironlaw/catalog'
import { quantityOf } from '@ironlaw/contracts'
import { bytes, dollars, seconds, show } from '@ironlaw/units'
import { chanceText } from '../memory/device-need.ts'
import { networkText } from './network.ts'
import { type NothingFits, nothingFits } from '../search/nothing-fits.ts'
import { bestPoint, paretoSteps } from '../search/pareto.ts'
import { type PlannedTraining, type PlanningResult, planningSteps } from '../plan-training.ts'
import type { ProgressCallback } from '../search/search.ts'
import { runSearchSteps, type SearchSteps } from '../search/search-steps.ts'
import { shortfall } from '../memory/shortfall.ts'
import type { Strategy } from '../strategy.ts'
import type { TrainingRequest } from './training-request.ts'

export type TrainingAnswer = {
  /** The request, with the fleet that serves its goal. */
  readonly request: TrainingRequest
  readonly planning: PlanningResult
  readonly best: PlannedTraining | undefined
  /** The nodes and the network that are planned for, in one line. */
  readonly setting: string
  readonly warnings: readonly string[]
  /** What the request states and the best plan breaks. */
  readonly violated: readonly string[]
  /** Why there is no plan. */
  readonly nothing: NothingFits | undefined
}

type Limits = { readonly keep: number; readonly progress?: ProgressCallback }

export const answerTraining = (catalog: Catalog, request: TrainingRequest, { keep, progress }: Limits): TrainingAnswer =>
  runSearchSteps({ machine: request.machine, job: request.wanted.job }, answerSteps(catalog, request, keep), progress)

export function* answerSteps(catalog: Catalog, asked: TrainingRequest, keep: number): SearchSteps<TrainingAnswer> {
  const request = yield* requestForGoal(catalog, asked)
  const planning = yield* planningSteps(catalog, request.machine, { ...request.wanted, keep })
  const best = planning.plans[0]
  return {
    request,
    planning,
    best,
    setting: settingOf(catalog, request),
    warnings: [...request.warnings, ...tightness(request, planning), ...offloaded(request, best)],
    violated: best ? brokenLimits(request, planning, best) : [],
    nothing: best ? undefined : yield* nothingFits(catalog, request, planning),
  }
}

/** Uses measured bandwidth where the catalog has it. */
const settingOf = (catalog: Catalog, { wanted, machine, network }: TrainingRequest): string =>
  networkText(catalog, {
    accelerator: wanted.accelerator,
    devices: wanted.fleet.devices,
    network: { ...network, between: machine.fabric.portBandwidth },
  })

/** Money and energy may want fewer devices than there are: the fleet that serves the goal within deadline and budget. */
function* requestForGoal(catalog: Catalog, request: TrainingRequest): SearchSteps<TrainingRequest> {
  const { spec, wanted, machine } = request
  if (spec.goal === 'time' && spec.budget === undefined) return request
  const chosen = bestPoint(yield* paretoSteps(catalog, machine, wanted), spec.goal, limitsOf(request))
  return chosen ? { ...request, wanted: { ...wanted, fleet: { ...wanted.fleet, devices: chosen.plan.fleet.devices } } } : request
}

const limitsOf = ({ spec: { deadline, budget } }: TrainingRequest): { readonly deadline_s?: number; readonly budget_usd?: number } => ({
  ...(deadline !== undefined && { deadline_s: quantityOf(deadline, 's') }),
  ...(budget !== undefined && { budget_usd: quantityOf(budget, 'USD') }),
})

function brokenLimits(request: TrainingRequest, planning: PlanningResult, { plan, candidate }: PlannedTraining): string[] {
  const { deadline_s = Infinity, budget_usd = Infinity } = limitsOf(request)
  const { duration_s, cost_usd = 0 } = plan.prediction
  const { deadline, budget, memory } = request.spec
  return [
    ...(planning.tight && memory ? [tightText(request, planning, candidate.strategy)] : []),
    ...(duration_s > deadline_s ? [`the best plan takes ${show(seconds(duration_s), 's')}, the deadline is ${deadline}`] : []),
    ...(cost_usd > budget_usd ? [`the best plan costs ${show(dollars(cost_usd), 'USD')}, the budget is ${budget}`] : []),
  ]
}

const OFF_DEVICE = { device: undefined, host: 'in host memory', nvme: 'on NVMe drives' } as const

/** A choice that the user did not make and that costs time. */
function offloaded({ spec }: TrainingRequest, best: PlannedTraining | undefined): string[] {
  const where = best && spec.strategy?.optimizerOn === undefined ? OFF_DEVICE[best.candidate.strategy.optimizerOn] : undefined
  return where === undefined
    ? []
    : [
        `nothing fits surely enough with the optimizer on the device: its states are ${where}; optimizer: adam-8bit, precision: lora or more devices would be faster`,
      ]
}

/** A layout that may fit is a warning, not a refusal, unless the spec says how surely it must: the user may know that it runs. */
function tightness(request: TrainingRequest, planning: PlanningResult): string[] {
  const best = planning.plans[0]?.candidate
  if (!planning.tight || !best || request.spec.memory) return []
  return [`tight: ${tightText(request, planning, best.strategy)}`]
}

function tightText(
  { wanted, machine }: TrainingRequest,
  { fleet, limit_bytes: limit, probability }: PlanningResult,
  strategy: Strategy,
): string {
  const short = shortfall({ job: wanted.job, machine }, strategy, { fleet, limit, probability })
  const [remedy] = short?.remedies ?? []
  return [
    `the best plan needs ${show(bytes(short?.need_bytes ?? 0), 'B')} of ${show(bytes(limit), 'B')} per device and fits with ${chanceText(short?.probability ?? 0)}, where ${chanceText(probability)} are asked for`,
    ...(remedy ? [`${remedy.change} to fit with ${chanceText(remedy.probability)}`] : []),
  ].join('; ')
}
