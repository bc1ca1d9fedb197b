// The slow answer: time against money for other fleet sizes, when the run ends with failures, the pipeline pass by pass, and nearby sizes
// that would be much better.

import type { Catalog } from '@ironlaw/catalog'
import type { TrainingPlan } from '@ironlaw/contracts'
import {
  answerTraining,
  DEFAULT_FIT_PROBABILITY,
  expectedStall,
  type Machine,
  memoryLimit,
  nearMisses,
  paretoFront,
  type PipelineEvent,
  planTraining,
  profileOf,
  search,
  type Suggestion,
  suggestionOf,
  timeline,
  type TrainingJob,
  type TrainingRequest,
  type TrainingPlanInputs,
} from '@ironlaw/planner'
import { expectedLosses, reliabilityForecast, statedFailures } from '@ironlaw/simulator'
import type { Cloud, Passes, SlowAnswer } from './answer.ts'
import { failureDerivations } from './failure-derivations.ts'
import type { TrainingQuestion } from './question.ts'
import { strategyText } from '@ironlaw/planner'
import { trainingRequestFor } from './training-of.ts'

/** Runs that are simulated for the distribution of completion times. */
const TRIALS = 200
/** From here on a run of weeks is interrupted often enough that a plan without failures misleads. */
const LARGE_FLEET_DEVICES = 64
/** More passes than this cannot be distinguished, and they take long to lay out. */
const MOST_PASSES = 20_000

export function slowAnswer(catalog: Catalog, question: TrainingQuestion, plan: TrainingPlan | undefined): SlowAnswer {
  const request = trainingRequestFor(catalog, question)
  const { machine, wanted } = request
  const stated = statedFailures(request.spec)
  return {
    suggestions: suggestionsFor(catalog, request),
    cloud: cloudOf(machine, wanted, memoryLimit(catalog, wanted.accelerator)),
    front: paretoFront(catalog, machine, wanted).map((point) => point.plan),
    ...(plan && { passes: passesOf(machine, wanted.job, plan.decision) }),
    ...(plan && {
      losses: {
        ...expectedLosses(reliabilityForecast(catalog, plan, { ...stated, spares: 0 })),
        'data stall': expectedStall(catalog, plan),
      },
    }),
    ...(plan && plan.fleet.devices >= LARGE_FLEET_DEVICES && failureAnswer(catalog, plan, stated)),
  }
}

function failureAnswer(
  catalog: Catalog,
  plan: TrainingPlan,
  stated: ReturnType<typeof statedFailures>,
): Pick<SlowAnswer, 'failures' | 'derivations'> {
  const failures = reliabilityForecast(catalog, plan, { ...stated, replicas: TRIALS })
  return { failures, derivations: failureDerivations(catalog, plan, { half: failures, stated }) }
}

/** Searches only if a size divides badly. */
function suggestionsFor(catalog: Catalog, request: TrainingRequest): readonly Suggestion[] {
  const misses = nearMisses(request)
  if (misses.length === 0) return []
  const answer = answerTraining(catalog, request, { keep: 1 })
  return misses.flatMap((miss) => suggestionOf(answer, miss, planTraining(catalog, request.machine, { ...miss.wanted, keep: 1 })) ?? [])
}

/** As many points as a chart can show. */
const MOST_POINTS = 10_000

function cloudOf(machine: Machine, wanted: Omit<TrainingPlanInputs, 'keep'>, memory_bytes: number): Cloud {
  const { job, fleet, memoryProbability: probability = DEFAULT_FIT_PROBABILITY } = wanted
  const { best } = search({ machine, job }, { fleet, limits: { memory_bytes, probability, keep: MOST_POINTS } })
  return {
    step_s: Float64Array.from(best, ({ step_s }) => step_s),
    memory_bytes: Float64Array.from(best, (each) => each.memory_bytes),
    names: best.map(({ strategy }) => strategyText(strategy)),
  }
}

function passesOf(machine: Machine, job: TrainingJob, strategy: TrainingPlan['decision']): Passes {
  const { pipeline, virtual, schedule, data, microbatch } = strategy
  const microbatches = job.globalBatch / (data * microbatch)
  const round = schedule === 'interleaved' ? pipeline : 2
  const most = Math.max(2 * pipeline, Math.floor(MOST_PASSES / (2 * pipeline * virtual) / round) * round)
  const drawn = Math.min(microbatches, most)
  const { events, span } = timeline({ stages: stagePasses(machine, job, strategy), microbatches: drawn, schedule, virtual })
  const column = <T>(of: (event: PipelineEvent) => T): T[] => events.map(of)
  return {
    stages: pipeline,
    span_s: span,
    drawn,
    microbatches,
    stage: Uint16Array.from(column(({ stage }) => stage)),
    microbatch: Uint32Array.from(column((event) => event.microbatch)),
    forward: Uint8Array.from(column(({ pass }) => (pass === 'forward' ? 1 : 0))),
    chunk: Uint8Array.from(column(({ chunk }) => chunk)),
    start: Float64Array.from(column(({ start }) => start)),
    end: Float64Array.from(column(({ end }) => end)),
  }
}

/** One microbatch through each stage: layers spread evenly, embedding on the first, head and loss on the last. */
function stagePasses(machine: Machine, job: TrainingJob, strategy: TrainingPlan['decision']): Parameters<typeof timeline>[0]['stages'] {
  const { pipeline } = strategy
  const { layout } = job.architecture
  const { groups } = profileOf({ machine, job }, strategy)
  return Array.from({ length: pipeline }, (_, stage) => {
    const own = layout.slice(Math.round((stage * layout.length) / pipeline), Math.round(((stage + 1) * layout.length) / pipeline))
    const ends = groups.filter(({ isInput, isOutput }) => (isInput && stage === 0) || (isOutput && stage === pipeline - 1))
    const held = [...own.flatMap((group) => groups[group] ?? []), ...ends]
    const again = strategy.recompute === 'none' ? 0 : own.reduce((sum, group) => sum + (groups[group]?.forward ?? 0), 0)
    return {
      forward: held.reduce((sum, { forward }) => sum + forward, 0),
      backward: held.reduce((sum, { backward }) => sum + backward, 0) + (strategy.recompute === 'full' ? again : 0),
      send: 0,
      ...(job.policy.adapter && { weight: 0 }),
    }
  })
}
