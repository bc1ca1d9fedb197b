import type { TrainingDecision } from '@ironlaw/contracts'
import { describe, expect, test } from 'vitest'
import { PLAN_INPUTS, planFrom } from './golden/plans.ts'
import { plannedProgram } from './program.ts'

const LLAMA = PLAN_INPUTS['llama-8b']

function planOf(decision: Partial<TrainingDecision>): ReturnType<typeof planFrom> {
  const { tensor = 1, context = 1, pipeline = 1, data = 1 } = decision
  return planFrom({ ...LLAMA, devices: tensor * context * pipeline * data, decision })
}

const SHARDED = planOf({ data: 4, tensor: 2, sequenceParallel: true, shards: 'weights', precision: 'fsdp-mixed', microbatch: 2 })
const PROGRAM = ['train.py', '--lr', '3e-4']

describe('a program and its plan', () => {
  test('the SDK finds the strategy in its environment; the command stays as it is', () => {
    const { argv, environment, files, impossible, inexact } = plannedProgram(SHARDED, { framework: 'sdk', program: PROGRAM })
    expect({ argv, files, impossible, inexact }).toEqual({ argv: PROGRAM, files: {}, impossible: [], inexact: [] })
    expect(environment['IRONLAW_PLAN']).toBe(SHARDED.id)
    expect(JSON.parse(environment['IRONLAW_STRATEGY'] ?? '')).toMatchObject({
      plan: SHARDED.id,
      tensor: 2,
      data: 4,
      microbatch: 2,
      accumulation: 16,
      globalBatch: 128,
      sequence: 8192,
      precision: 'fsdp-mixed',
      recompute: 'none',
    })
  })

  test('Megatron-LM gets words behind those of the user, one queue where it needs it, and the text to read', () => {
    const plan = planOf({ tensor: 2, sequenceParallel: true, data: 4, shards: 'optimizer' })
    const { argv, environment, files, inexact } = plannedProgram(plan, { framework: 'megatron-core', program: PROGRAM })
    expect(argv.slice(0, 3)).toEqual(PROGRAM)
    expect(argv.join(' ')).toContain('--tensor-model-parallel-size 2 --sequence-parallel')
    expect(argv.join(' ')).toContain('--micro-batch-size 1 --global-batch-size 128')
    expect(environment['CUDA_DEVICE_MAX_CONNECTIONS']).toBe('1')
    expect(files['plan.sh']).toContain(plan.id)
    expect(inexact).toEqual([])
  })

  test('torchtitan gets its configuration as arguments, which count above a file of the user', () => {
    const { argv, files, inexact } = plannedProgram(SHARDED, { framework: 'torchtitan', program: PROGRAM })
    const text = argv.join(' ')
    expect(text).toContain('--parallelism.data_parallel_shard_degree 4 --parallelism.tensor_parallel_degree 2')
    expect(text).toContain('--training.local_batch_size 2 --training.global_batch_size 128 --training.seq_len 8192')
    expect(text).toContain('--compile.no-enable')
    expect(files['plan.toml']).toContain('tensor_parallel_degree = 2')
    expect(inexact).toEqual([])
  })

  test('DeepSpeed gets a file, whose place the control plane fills in', () => {
    const plan = planOf({ data: 8, shards: 'weights' })
    const { argv, files } = plannedProgram(plan, { framework: 'deepspeed', program: PROGRAM })
    expect(argv).toEqual([...PROGRAM, '--deepspeed', '--deepspeed_config', '{run-files}/plan.json'])
    expect(JSON.parse(files['plan.json'] ?? '')).toMatchObject({ zero_optimization: { stage: 3 } })
  })

  test('a plan that was changed after it was named does not lend its name', () => {
    const { environment } = plannedProgram({ ...SHARDED, id: 'plan-000000000000' }, { framework: 'sdk', program: PROGRAM })
    expect(environment['IRONLAW_PLAN']).toBe(SHARDED.id)
  })

  test.each([
    ['megatron-core', '--micro-batch-size'],
    ['megatron-core', '--micro_batch_size=4'],
    ['torchtitan', '--training.local-batch-size'],
    ['torchtitan', '--compile.enable'],
    ['deepspeed', '--deepspeed_config=mine.json'],
  ] as const)('%s: %s is decided by the plan', (framework, word) => {
    expect(plannedProgram(SHARDED, { framework, program: [...PROGRAM, word] }).repeated).toEqual([word])
  })

  test.each(['torchtitan', 'deepspeed'] as const)('%s cannot go on with fewer nodes', (framework) => {
    expect(plannedProgram(SHARDED, { framework, program: PROGRAM, smaller: [1] }).impossible).toEqual([
      expect.stringContaining('run.smaller'),
    ])
  })

  test.each(['sdk', 'megatron-core'] as const)('%s can', (framework) => {
    expect(plannedProgram(SHARDED, { framework, program: PROGRAM, smaller: [1] }).impossible).toEqual([])
  })
})
