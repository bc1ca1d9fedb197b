// Time against money: the best plan for ever fewer devices, as long as the job fits. More devices are faster and waste more, so the points form
// a front; a goal and a deadline or budget pick one of them.

import type { Catalog } from '@ironlaw/catalog'
import type { Machine } from '../../machine/machine.ts'
import { type PlannedTraining, planningSteps, type TrainingPlanInputs } from '../plan-training.ts'
import { runSearchSteps, type SearchSteps } from './search-steps.ts'

export type Goal = 'time' | 'cost' | 'energy'

export type Constraints = { readonly deadline_s?: number; readonly budget_usd?: number }

export const paretoFront = (catalog: Catalog, machine: Machine, wanted: Omit<TrainingPlanInputs, 'keep'>): readonly PlannedTraining[] =>
  runSearchSteps({ machine, job: wanted.job }, paretoSteps(catalog, machine, wanted), wanted.progress)

/** Fastest first. Halving reaches a single node in a dozen searches, whatever the fleet. */
export function* paretoSteps(
  catalog: Catalog,
  machine: Machine,
  wanted: Omit<TrainingPlanInputs, 'keep'>,
): SearchSteps<readonly PlannedTraining[]> {
  const points: PlannedTraining[] = []
  for (const devices of halvings(wanted.fleet.devices, wanted.fleet.perNode)) {
    const { plans, tight } = yield* planningSteps(catalog, machine, { ...wanted, fleet: { ...wanted.fleet, devices }, keep: 1 })
    const best = plans[0]
    if (!best || tight) break
    points.push(best)
  }
  return points.filter((point) => !points.some((other) => dominates(other, point)))
}

function halvings(devices: number, perNode: number): number[] {
  const counts = [devices]
  for (let next = devices / 2; next >= perNode; next /= 2) counts.push(Math.floor(next / perNode) * perNode)
  return counts
}

function dominates({ plan: { prediction: a } }: PlannedTraining, { plan: { prediction: b } }: PlannedTraining): boolean {
  const [mine, theirs] = [a.cost_usd ?? a.energy_j ?? 0, b.cost_usd ?? b.energy_j ?? 0]
  return a.duration_s <= b.duration_s && mine <= theirs && (a.duration_s < b.duration_s || mine < theirs)
}

/** The point of a front that serves the goal within the constraints; undefined when none does. */
export function bestPoint(
  front: readonly PlannedTraining[],
  goal: Goal,
  { deadline_s = Infinity, budget_usd = Infinity }: Constraints,
): PlannedTraining | undefined {
  const measure = ({ plan: { prediction } }: PlannedTraining): number =>
    ({ time: prediction.duration_s, cost: prediction.cost_usd ?? Infinity, energy: prediction.energy_j ?? Infinity })[goal]
  const within = front.filter(({ plan: { prediction } }) => prediction.duration_s <= deadline_s && (prediction.cost_usd ?? 0) <= budget_usd)
  return within.reduce<PlannedTraining | undefined>((best, point) => (best && measure(best) <= measure(point) ? best : point), undefined)
}
