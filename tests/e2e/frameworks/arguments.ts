// Arguments for Megatron, given to the real thing: megatron-core's configuration classes, or the parser of a checkout of Megatron-LM.

import { strict as assert } from 'node:assert'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { DISPATCHERS, type TrainingPlan } from '@ironlaw/contracts'
import { sampleServingPlan, sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'
import { plannedEngine, plannedProgram } from '@ironlaw/exporters'
import { LLAMA_8B } from '../../../packages/pure/exporters/src/golden/plans.ts'

const { model: LLAMA } = LLAMA_8B
const RUNTIME = { name: 'megatron-core', overlapsTensor: true } as const

/** Between them: every kind of parallelism, both ways of sharding, experts with each dispatcher, recomputation, 8-bit products, offloading. */
export const PLANS_FOR_MEGATRON: readonly TrainingPlan[] = [
  sampleTrainingPlan({
    model: LLAMA,
    runtime: RUNTIME,
    globalBatch: 64,
    fleet: { devices: 64 },
    decision: { tensor: 4, sequenceParallel: true, pipeline: 2, virtual: 4, schedule: 'interleaved', data: 8, shards: 'optimizer' },
  }),
  sampleTrainingPlan({
    model: LLAMA,
    runtime: RUNTIME,
    globalBatch: 64,
    fleet: { devices: 16 },
    decision: { context: 2, data: 8, shards: 'weights', recompute: 'selective', precision: 'fp8' },
  }),
  sampleTrainingPlan({
    model: LLAMA,
    runtime: RUNTIME,
    globalBatch: 64,
    fleet: { devices: 4 },
    decision: { tensor: 4, sequenceParallel: true, data: 1, shards: 'nothing', optimizerOn: 'host' },
  }),
  ...DISPATCHERS.map((dispatcher) =>
    sampleTrainingPlan({
      model: {
        ...LLAMA,
        name: 'Qwen3-30B-A3B',
        layers: 48,
        experts: 128,
        activeExperts: 8,
        inner: 768,
        headWidth: 128,
        modelType: 'qwen3_moe',
      },
      runtime: RUNTIME,
      globalBatch: 64,
      fleet: { devices: 32 },
      decision: {
        pipeline: 2,
        virtual: 2,
        schedule: 'interleaved',
        data: 16,
        expert: 8,
        dispatcher,
        ...(dispatcher !== 'allgather' && { expertOverlap: true }),
        shards: 'optimizer',
        recompute: 'selective',
        recomputeModules: ['layernorm', 'moe_act'],
      },
    }),
  ),
]

export function acceptsArguments(python: string, environment: Readonly<Record<string, string>>): string {
  const program = join(import.meta.dirname, 'programs/megatron_arguments.py')
  for (const plan of PLANS_FOR_MEGATRON) {
    const { argv, impossible } = plannedProgram(plan, { framework: 'megatron-core', program: [] })
    assert.deepEqual(impossible, [])
    const answer = execFileSync(python, [program], {
      input: argv.join('\n'),
      env: { ...process.env, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      encoding: 'utf8',
    })
    const { tensor, pipeline, context } = plan.decision
    assert.partialDeepStrictEqual(JSON.parse(answer.trim().split('\n').at(-1) ?? ''), { tensor, pipeline, context })
  }
  return `${PLANS_FOR_MEGATRON.length} plans accepted, degrees read back`
}

/** Its own parser, with every flag that a plan can bring. */
export function vllmAccepts(python: string, folder: string): string {
  const plan = sampleServingPlan({
    cache: 'fp8',
    model: { name: 'DeepSeek-V3', predictionLayers: 1 },
    speculation: { method: 'mtp', drafted: 3, acceptance: 0.7 },
    traffic: { requests_per_s: 20, input_tokens: 1200, output_tokens: 300, cachedPrompt: 0.5 },
  })
  const pool = { role: 'decode', replicas: 1, layout: { tensor: 2, pipeline: 2, data: 2, expert: 8 }, devicesPerReplica: 8 } as const
  const { argv, impossible } = plannedEngine(plan, { engine: 'vllm', program: [], pool })
  assert.deepEqual(impossible, [])
  const program = join(import.meta.dirname, 'programs/vllm_arguments.py')
  const answer = execFileSync(python, [program, folder, ...argv], { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' })
  assert.partialDeepStrictEqual(JSON.parse(answer.trim().split('\n').at(-1) ?? ''), { tensor: 2 })
  return `${argv.filter((word) => word.startsWith('--')).length} flags accepted`
}
