// A plan of reinforcement learning: what generates, what learns, how the weights get from one to the other, and who waits for whom. Bare
// numbers end in their unit.

import * as z from 'zod'
import { CAPACITY } from './capacity.ts'
import { TRAINING_PLAN } from './training-plan.ts'

const count = z.int().positive()
const amount = z.number().nonnegative()
const time = z.number().positive()

const GENERATION = z
  .object({
    engine: z.string(),
    devices: count,
    replicas: count.describe('Engines'),
    tensor: count.describe('Tensor-parallel ranks of one engine'),
    data: count.describe('Copies of the attention of one engine that share its experts'),
    expert: count,
    answersPerReplica: amount.describe('Answers of a step that one engine generates'),
    atOnce: amount.describe('Of these, as many as its cache holds at once'),
    tokens_per_s_per_device: time.describe('Generated, over the time of generating'),
    tail_s: amount.describe('Of the time of generating, what is left when half of the answers are done'),
    capacities: z.array(CAPACITY).readonly().describe('How full each resource of a device is, averaged over a step'),
  })
  .readonly()

const RL_PLAN = z
  .object({
    apiVersion: z.literal('ironlaw/v1'),
    kind: z.literal('RLPlan'),
    name: z.string(),
    algorithm: z.enum(['grpo', 'ppo']),
    placement: z.enum(['colocated', 'separate']),
    staleness: amount.describe('Steps by which the weights that generate lag behind'),
    bottleneck: z.enum(['generation', 'trainer']).describe('The side that the other one waits for'),
    generation: GENERATION,
    trainer: TRAINING_PLAN.describe('One optimizer update'),
    updates: count.describe('Optimizer updates per step'),
    step_s: time,
    step_low_s: time,
    step_high_s: time,
    generate_s: time,
    score_s: amount.describe('Forward passes for the probabilities of the answers, of the policy and of a critic'),
    update_s: time.describe('All updates of a step, the passes of the reference model included'),
    sync_s: amount.describe('New weights on their way to the engines'),
    handover_s: amount.describe('States of the trainer moved out of the way of the cache and back'),
    tokens_per_s_per_device: time.describe('Tokens of prompts and answers learned from, over all devices'),
    duration_s: time,
    cost_usd: amount.exactOptional(),
  })
  .readonly()
  .meta({ id: 'RLPlan' })

export type RlPlan = z.infer<typeof RL_PLAN>
