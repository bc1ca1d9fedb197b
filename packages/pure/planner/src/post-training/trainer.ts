// The side that learns: the training planner's best plan for one update over packed answers, and what a step needs of it.

import type { Catalog } from '@ironlaw/catalog'
import type { DocumentLengths } from '@ironlaw/contracts'
import type { RlSpec } from '@ironlaw/contracts/rl-spec'
import type { TrainSpec } from '@ironlaw/contracts/train-spec'
import { cutLengths, type Lengths, lengthsOf, meanLength } from '../lengths.ts'
import { memoryAccount } from '../training/memory/memory.ts'
import { type PlannedTraining, planTraining } from '../training/plan-training.ts'
import { type NamedModel, type TrainingRequest, trainingRequest } from '../training/request/training-request.ts'
import { profileOf } from '../training/search/profile.ts'
import { periodOf, stageTimes, stepTime } from '../training/time/step-time.ts'

/** What a step asks of both sides. */
export type RlWork = {
  readonly answers: Lengths
  /** Answers per step, and updates that learn from them. */
  readonly requests: number
  readonly updates: number
  /** Mean tokens of a prompt with its answer. */
  readonly tokens: number
}

export function rlWork({ prompts, samples, updateBatch, promptTokens, answers, longestAnswer }: RlSpec): RlWork {
  const requests = prompts * samples
  const lengths = cutLengths(lengthsOf(answers), longestAnswer)
  return {
    answers: lengths,
    requests,
    updates: Math.max(1, Math.ceil(requests / (updateBatch ?? requests))),
    tokens: promptTokens + meanLength(lengths),
  }
}

export type Trainer = {
  readonly request: TrainingRequest
  readonly planned: PlannedTraining
  /** One step's updates, the passes of the reference model included; with a critic its updates too, which need no reference. */
  readonly update_s: number
  /** Passes forward over all answers, for the probabilities that they were generated with; with a critic for its values too. */
  readonly score_s: number
  /** Weights and states of one device. */
  readonly state_bytes: number
}

/** Rows of kernels and of parallel sequences come in multiples of this. */
const ROUND_TOKENS = 128

/** Undefined where nothing fits on as many devices. */
export function trainerOn(
  catalog: Catalog,
  { spec, model }: { readonly spec: RlSpec; readonly model: NamedModel },
  devices: number,
): Trainer | undefined {
  const work = rlWork(spec)
  const alone = trainingRequest(catalog, trainSpec(spec, work, devices), model)
  const request = withOtherModels(spec, alone)
  const { plans, tight } = planTraining(catalog, request.machine, { ...request.wanted, keep: 1 })
  const [planned] = plans
  if (!planned || (tight && planned.plan.prediction.memory_bytes > planned.plan.prediction.memory_limit_bytes)) return undefined
  const { job } = request.wanted
  const setup = { machine: request.machine, job }
  const { strategy } = planned.candidate
  // Batches are rounded so that they divide well.
  const share = (work.requests * work.tokens) / work.updates / (job.globalBatch * job.sequence)
  const critic_s = job.critic ? stepTime({ ...setup, job: alone.wanted.job }, strategy).total : 0
  const stages = stageTimes(setup, strategy, profileOf(setup, strategy))
  const slowest = stages.reduce((most, each) => (periodOf(setup, strategy, each.time) > periodOf(setup, strategy, most.time) ? each : most))
  const { forward, backward } = slowest.time
  const { optimizer, offload } = planned.step.causes
  const passes = planned.step.total - optimizer - offload
  const forwardOnce = (passes * forward) / (job.reference ? 2 : 1) / (forward + backward)
  const { weights, optimizer: states } = memoryAccount(setup, strategy).worst.terms
  return {
    request,
    planned,
    update_s: work.updates * share * (planned.step.total + critic_s),
    score_s: (job.critic ? 2 : 1) * work.updates * share * forwardOnce,
    state_bytes: weights + states,
  }
}

/** A frozen reference model runs forward beside the trained one, as in DPO; a critic is trained as well. */
const withOtherModels = ({ algorithm, reference }: RlSpec, { wanted, ...request }: TrainingRequest): TrainingRequest => ({
  ...request,
  wanted: {
    ...wanted,
    job: { ...wanted.job, ...(reference && { reference: true }), ...(algorithm === 'ppo' && { critic: true }) },
  },
})

/** What is learned from is a prompt with its answer. */
const documentLengths = (promptTokens: number, answers: Lengths): DocumentLengths => ({
  variation: 0,
  histogram: answers.map(({ tokens, share }) => ({ tokens: promptTokens + tokens, share })),
})

function trainSpec(spec: RlSpec, { requests, updates, tokens, answers }: RlWork, devices: number): TrainSpec {
  const { name, model, fleet, precision, optimizer, runtime, strategy, price, steps, promptTokens, longestAnswer } = spec
  const sequence = Math.ceil((promptTokens + longestAnswer) / ROUND_TOKENS) * ROUND_TOKENS
  const perUpdate = (requests * tokens) / updates
  return {
    apiVersion: 'ironlaw/v1',
    kind: 'Train',
    name,
    model,
    // A batch is rounded to whole sequences, of which even a step of a few short answers has one.
    tokens: `${Math.ceil(Math.max(steps * requests * tokens, 2 * perUpdate, 2 * sequence))} tokens`,
    sequence,
    globalBatch: perUpdate < 2 * sequence ? Math.max(1, Math.round(perUpdate / sequence)) : `${Math.round(perUpdate)} tokens`,
    documents: { lengths: documentLengths(promptTokens, answers), packed: true },
    fleet: { ...fleet, count: devices },
    goal: 'time',
    ...(optimizer !== undefined && { optimizer }),
    ...(precision !== undefined && { precision }),
    ...(runtime !== undefined && { runtime }),
    ...(strategy !== undefined && { strategy }),
    ...(price !== undefined && { price }),
  }
}
