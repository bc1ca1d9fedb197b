// A finished run compared with its plan: predicted and measured time of each class of work, step by step.

import { median } from '@ironlaw/laws/quantile'
import { STEP_CAUSE_INFO, STEP_CAUSES, type TrainingPlan, WORK_CLASSES, type WorkClass } from '@ironlaw/contracts'
import type { FinishedRun } from './coverage.ts'
import type { WorkObservation } from './feedback.ts'

export type RunStep = {
  readonly step: number
  readonly seconds: number
  readonly world: number
  readonly phases_s: Readonly<Record<string, number>>
  /** Of the rank that the others waited for. */
  readonly slowest?: { readonly compute_s: number }
}

export type ComparedRun =
  | { readonly ok: true; readonly observations: readonly WorkObservation[]; readonly finished: FinishedRun }
  | { readonly ok: false; readonly reason: string }

/** The part of a plan that a run is compared with. */
type PredictedPlan = Pick<TrainingPlan, 'decision' | 'fleet' | 'prediction'>

type RunToCompare = { readonly run: string; readonly plan: PredictedPlan; readonly steps: readonly RunStep[] }

/** Weights that a sharded optimizer gives back are an exchange inside the update: programs book them here or there, so both are judged as one. */
const JOINED: readonly WorkClass[] = ['communication', 'optimizer']

/** Allocators, caches and connections warm up in these. */
const WARM_UP = 3
const LEAST = 5

export function comparedRun({ run, plan: { fleet, prediction, decision }, steps }: RunToCompare): ComparedRun {
  const same = steps.filter(({ world }) => world === fleet.devices)
  const warm = same.slice(WARM_UP)
  if (warm.length < LEAST) {
    const others = steps.length - same.length
    const resized = others > 0 ? `; ${others} were made with other than ${fleet.devices} ranks` : ''
    return { ok: false, reason: `${warm.length} steps after the first ${WARM_UP}, fewer than ${LEAST}${resized}` }
  }
  const times = warm.map(({ seconds, phases_s }) => seconds - (phases_s['checkpoint'] ?? 0))
  const predicted = predictedByClass(prediction.causes_s)
  const shared = { run, ranks: Math.min(fleet.perNode, fleet.devices), step_s: prediction.step_s }
  const named = warm.every(({ phases_s }) => phases_s['compute'] !== undefined)
  const joined = decision.shards !== 'nothing'
  const observations = WORK_CLASSES.filter((work) => predicted[work] > 0)
    .filter((work) => named || work === 'compute')
    .map((work) => {
      const parts = joined && JOINED.includes(work) ? JOINED : [work]
      const sum = (of: (part: WorkClass) => number): number => parts.reduce((total, part) => total + of(part), 0)
      const predicted_s = sum((part) => predicted[part])
      const bare_s = sum((part) => predicted[part] / (prediction.measured?.corrections[part] ?? 1))
      return {
        ...shared,
        work,
        predicted_s,
        correction: predicted_s / bare_s,
        // A program that names no phases: what is left when the rest takes what was predicted.
        seconds: named
          ? warm.map((step) => sum((part) => timeOf(part, step)))
          : times.map((time) => Math.max(0, time - predicted.communication - predicted.optimizer)),
      }
    })
  return {
    ok: true,
    observations,
    finished: {
      run,
      predicted_s: prediction.step_s,
      low_s: prediction.step_low_s,
      high_s: prediction.step_high_s,
      measured_s: median(times),
    },
  }
}

/** The step computes as long as its slowest rank; what the others wait for it is booked by them as communication, and is none. */
function timeOf(work: WorkClass, { phases_s, slowest }: RunStep): number {
  const computed = phases_s['compute'] ?? 0
  const waited = Math.max(0, (slowest?.compute_s ?? computed) - computed)
  if (work === 'compute') return computed + waited
  return Math.max(0, (phases_s[work] ?? 0) - (work === 'communication' ? waited : 0))
}

function predictedByClass(causes_s: TrainingPlan['prediction']['causes_s']): Readonly<Record<WorkClass, number>> {
  const sums = { compute: 0, communication: 0, optimizer: 0 }
  for (const cause of STEP_CAUSES) sums[STEP_CAUSE_INFO[cause].workClass] += causes_s[cause] ?? 0
  return sums
}
