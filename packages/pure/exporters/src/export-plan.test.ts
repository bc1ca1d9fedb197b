import type { TrainingDecision } from '@ironlaw/contracts'
import { describe, expect, test } from 'vitest'
import { exportPlan, type Target, TARGETS } from './export-plan.ts'
import { PLAN_INPUTS, planFrom } from './golden/plans.ts'

const TARGET_NAMES = Object.keys(TARGETS) as readonly Target[]
const LLAMA = PLAN_INPUTS['llama-8b']

/** The small Llama with other decisions, on as many devices as they use. */
function planWith(decision: Partial<TrainingDecision>, layers = 32): ReturnType<typeof planFrom> {
  const { tensor = 1, context = 1, pipeline = 1, data = 1 } = decision
  return planFrom({ ...LLAMA, model: { ...LLAMA.model, layers }, devices: tensor * context * pipeline * data, decision })
}

test.each(TARGET_NAMES)('%s carries the id of the plan', (target) => {
  const plan = planFrom(LLAMA)
  expect(exportPlan(plan, target).text).toContain(plan.id)
})

test.each(TARGET_NAMES)('%s: an altered plan is named by its content, with a warning', (target) => {
  const plan = { ...planFrom(LLAMA), id: 'plan-x; rm -rf "$HOME"' }
  const { text, warnings } = exportPlan(plan, target)
  expect(text).not.toContain('rm -rf')
  expect(warnings[0]).toContain('changed after it was named')
})

test.each(['megatron', 'torchtitan', 'deepspeed'] as const)('slurm with %s: a name cannot break out of its line', (program) => {
  const { text } = exportPlan(
    planFrom({ ...LLAMA, name: 'x\nrm -rf "$HOME"\u2028#', model: { ...LLAMA.model, name: 'END_OF_PLAN\nreboot' } }),
    'slurm',
    { program },
  )
  expect(text).not.toMatch(/^(?:rm|reboot|END_OF_PLAN reboot)/m)
  expect(text).toMatch(/^#SBATCH --job-name=x-rm-rf-home-plan-[0-9a-f]{12}$/m)
})

describe('megatron', () => {
  const megatronExport = (decision: Partial<TrainingDecision>, layers?: number) => exportPlan(planWith(decision, layers), 'megatron')

  test.each([
    ['ring attention', { context: 2 }, '--cp-comm-type p2p'],
    ['all-to-all over heads', { context: 2, contextBy: 'all-to-all' }, '--cp-comm-type a2a'],
    ['one hardware queue for tensor parallelism', { tensor: 2 }, 'export CUDA_DEVICE_MAX_CONNECTIONS=1'],
    ['several for FSDP', { tensor: 2, data: 2, shards: 'weights' }, 'unset CUDA_DEVICE_MAX_CONNECTIONS'],
    ['ZeRO-2', { data: 4, shards: 'gradients' }, '--data-parallel-sharding-strategy optim_grads\n'],
    ['hybrid sharding', { data: 4, shards: 'weights', shardGroup: 2 }, '--num-distributed-optimizer-instances 2'],
    ['8-bit products', { precision: 'fp8' }, '--fp8-format hybrid'],
    ['16-bit gradients', { precision: 'bf16-gradients' }, '--grad-reduce-in-bf16'],
    ['states on the host', { optimizerOn: 'host' }, '--optimizer-cpu-offload'],
    ['4-bit products', { precision: 'nvfp4' }, '--fp4-format e2m1'],
  ] as const)('%s', (_, decision, flag) => {
    expect(megatronExport(decision).text).toContain(flag)
  })

  test.each([
    [true, true, true],
    [true, false, false],
    [false, true, false],
  ])('tensor overlap assumed %j, sequence parallel %j: overlapped %j', (overlapsTensor, sequenceParallel, overlapped) => {
    const plan = { ...planWith({ tensor: 2, sequenceParallel }), runtime: { name: 'megatron-core', overlapsTensor } }
    expect(exportPlan(plan, 'megatron').text.includes('--tp-comm-overlap')).toBe(overlapped)
  })

  test('states on a drive are a warning', () => {
    expect(megatronExport({ optimizerOn: 'nvme' }).warnings).toContainEqual(expect.stringContaining('host memory only'))
  })

  test.each([
    ['states on the host', { optimizerOn: 'host' }],
    ['states of replicas on the host', { optimizerOn: 'host', data: 4 }],
  ] as const)('%s need the distributed optimizer, once', (_, decision) => {
    const { text } = megatronExport(decision)
    expect(text.match(/--use-distributed-optimizer/g)).toHaveLength(1)
    expect(text).toContain('--use-precision-aware-optimizer')
  })

  test('8-bit states need the distributed optimizer, which of one rank divides nothing', () => {
    const { text, warnings } = exportPlan({ ...planWith({}), optimizer: 'adam-8bit' }, 'megatron')
    expect(text.match(/--use-distributed-optimizer/g)).toHaveLength(1)
    expect(text).toContain('--use-precision-aware-optimizer')
    expect(text).toContain('--exp-avg-dtype fp8')
    expect(warnings).toEqual([expect.stringContaining('changed after it was named')])
    const replicas = exportPlan({ ...planWith({ data: 4 }), optimizer: 'adam-8bit' }, 'megatron')
    expect(replicas.warnings).toContainEqual(expect.stringContaining('only with the distributed optimizer'))
  })

  test('Muon shares out its states, and nothing else', () => {
    const muon = (decision: Partial<TrainingDecision>) => exportPlan({ ...planWith(decision), optimizer: 'muon' }, 'megatron')
    expect(muon({ data: 4, shards: 'optimizer' })).toMatchObject({
      impossible: [],
      text: expect.stringContaining('--optimizer muon') as string,
    })
    expect(muon({ data: 4, shards: 'weights' }).impossible).toEqual([expect.stringContaining('shards: optimizer')])
    expect(muon({ optimizerOn: 'host' }).impossible).toEqual([expect.stringContaining('optimizerOn: device')])
    expect(exportPlan({ ...planWith({}), optimizer: 'muon' }, 'torchtitan').impossible).toContainEqual(expect.stringContaining('no Muon'))
  })

  test('experts under tensor parallelism without sequence parallelism are refused', () => {
    const dispatcherOf = (decision: Partial<TrainingDecision>) =>
      exportPlan(planFrom({ ...PLAN_INPUTS.mixtral, decision: { tensor: 2, data: 32, expert: 8, ...decision } }), 'megatron').impossible
    expect(dispatcherOf({})).toEqual([expect.stringContaining('only with sequence parallelism')])
    expect(dispatcherOf({ sequenceParallel: true })).toEqual([])
  })

  test('copies of shards that do not divide the copies of experts are refused', () => {
    const decision = { data: 64, expert: 8, shards: 'optimizer', shardGroup: 4 } as const
    expect(exportPlan(planFrom({ ...PLAN_INPUTS.mixtral, decision }), 'megatron').impossible).toEqual([
      expect.stringContaining('the 8 copies of an expert by the 16 copies of the shards'),
    ])
  })

  test('a sequence that does not give every context rank two chunks is refused', () => {
    expect(exportPlan({ ...planWith({ context: 4 }), sequence: 8196 }, 'megatron').impossible).toEqual([
      expect.stringContaining('in 8 chunks'),
    ])
  })

  test('layers that no balance divides get a layout', () => {
    const { text } = megatronExport({ pipeline: 4, virtual: 2, schedule: 'interleaved' }, 11)
    expect(text).toContain("--pipeline-model-parallel-layout 'Ett|tt|tt|t|t|t|t|tL'")
    expect(text).not.toContain('--num-virtual-stages-per-pipeline-rank')
  })

  test.each([
    ['zero-bubble', { pipeline: 2, schedule: 'zero-bubble' }, 'no zero-bubble schedule'],
    ['dualpipe', { pipeline: 2, schedule: 'dualpipe' }, 'no dualpipe schedule'],
  ] as const)('%s is a warning', (_, decision, warning) => {
    expect(megatronExport(decision).warnings).toContainEqual(expect.stringContaining(warning))
  })

  test('a plan it can express has no warning', () => {
    expect(megatronExport({ tensor: 4, sequenceParallel: true, pipeline: 2, data: 4, shards: 'optimizer' }).warnings).toEqual([])
  })

  test.each(['constructor', 'deepseek_v3', 'gpt_oss', 'gemma3', 'granitemoehybrid'])('%s does not become a plain Llama', (modelType) => {
    const { text, impossible } = exportPlan(planFrom({ ...LLAMA, model: { ...LLAMA.model, modelType } }), 'megatron')
    expect(impossible).toEqual([expect.stringContaining(`model type "${modelType}": these arguments would train a plain Llama`)])
    expect(text).toContain('# Does not run: model type')
  })

  test('the norms of Qwen3 are written', () => {
    const { text, impossible } = exportPlan(planFrom({ ...LLAMA, model: { ...LLAMA.model, modelType: 'qwen3' } }), 'megatron')
    expect(impossible).toEqual([])
    expect(text).toContain('--qk-layernorm')
  })

  test('a runtime without overlap gets no overlap flags', () => {
    const plan = {
      ...planWith({ data: 4, shards: 'optimizer' }),
      runtime: { name: 'megatron-core-plain', overlapsTensor: false, overlapsData: false },
    }
    expect(exportPlan(plan, 'megatron').text).not.toContain('--overlap')
  })
})

describe('torchtitan', () => {
  const torchtitanExport = (decision: Partial<TrainingDecision>, layers?: number) =>
    exportPlan(planWith({ precision: 'fsdp-mixed', ...decision }, layers), 'torchtitan')

  test.each([
    ['hybrid sharding, replicas', { data: 8, shards: 'weights', shardGroup: 4 }, 'data_parallel_replicate_degree = 2'],
    ['hybrid sharding, shards', { data: 8, shards: 'weights', shardGroup: 4 }, 'data_parallel_shard_degree = 4'],
    ['a group over data and context', { data: 4, context: 2, shards: 'weights', shardGroup: 4 }, 'data_parallel_shard_degree = 2'],
    ['plain replicas', { data: 8 }, 'data_parallel_replicate_degree = 8'],
    ['a pipeline takes the batch of its rank', { pipeline: 2, data: 4, shards: 'weights' }, 'local_batch_size = 32'],
    ['accumulation without one', { data: 4, shards: 'weights' }, 'local_batch_size = 1'],
    ['whole stages', { pipeline: 4 }, 'pipeline_parallel_layers_per_stage = 8\npipeline_parallel_first_stage_less_layers = 0'],
    ['16 bits only', { precision: 'bf16-pure' }, 'dtype = "bfloat16"'],
    ['8-bit products', { precision: 'fp8' }, 'converters = ["quantize.linear.float8"]'],
  ] as const)('%s', (_, decision, line) => {
    expect(torchtitanExport(decision).text).toContain(line)
  })

  test.each([
    ['ZeRO-1', { data: 4, shards: 'optimizer' }, 'ZeRO-1'],
    ['replicas with context parallelism', { data: 4, context: 2 }, 'always shards'],
    ['Ulysses', { context: 2, contextBy: 'all-to-all' }, 'no all-to-all over heads'],
    ['zero-bubble', { pipeline: 2, schedule: 'zero-bubble' }, 'ZBVZeroBubble'],
    ['states on the host', { optimizerOn: 'host' }, 'moves weights and gradients there too'],
  ] as const)('%s is a warning', (_, decision, warning) => {
    expect(torchtitanExport(decision).warnings).toContainEqual(expect.stringContaining(warning))
  })

  test.each([
    ['replicas with tensor parallelism', { data: 4, tensor: 2 }, 'only where nothing else is parallel'],
    ['replicas with a pipeline', { data: 4, pipeline: 2 }, 'only where nothing else is parallel'],
    ['half a shard degree', { data: 4, context: 4, shards: 'weights', shardGroup: 2 }, 'shard degree of 0.5'],
    ['parts of a key-value head', { tensor: 16 }, 'whole key-value heads'],
  ] as const)('%s: refused', (_, decision, reason) => {
    expect(torchtitanExport(decision).impossible).toEqual([expect.stringContaining(reason)])
  })

  test('a sequence that its ranks do not divide is refused', () => {
    const plan = { ...planWith({ precision: 'fsdp-mixed', tensor: 4, sequenceParallel: true }), sequence: 8188 }
    expect(exportPlan(plan, 'torchtitan').impossible).toEqual([expect.stringContaining('2 x tensor x context = 8')])
  })

  test('experts that leave the ranks which shard together are refused', () => {
    const model = { ...LLAMA.model, experts: 128, layers: 48, width: 2048, modelType: 'qwen3_moe' }
    const decision = { data: 8, expert: 8, shards: 'weights', shardGroup: 4, precision: 'fsdp-mixed' } as const
    const { impossible } = exportPlan(planFrom({ ...LLAMA, model, devices: 8, decision }), 'torchtitan')
    expect(impossible).toEqual([expect.stringContaining('within the 4 ranks that shard together')])
  })

  test('layers that no count divides are a warning', () => {
    expect(torchtitanExport({ pipeline: 4, virtual: 2, schedule: 'interleaved' }, 17).warnings).toContainEqual(
      expect.stringContaining('module_fqns_per_model_part'),
    )
  })
})

describe('deepspeed', () => {
  const deepspeedExport = (decision: Partial<TrainingDecision>) => exportPlan(planWith(decision), 'deepspeed')

  test.each([
    [
      'batches multiply',
      { data: 8, microbatch: 2 },
      { train_batch_size: 128, train_micro_batch_size_per_gpu: 2, gradient_accumulation_steps: 8 },
    ],
    ['ZeRO-3', { data: 8, shards: 'weights' }, { zero_optimization: expect.objectContaining({ stage: 3 }) }],
    ['nothing sharded', { data: 8 }, { zero_optimization: { stage: 0 } }],
    [
      'states on the host',
      { data: 8, shards: 'gradients', optimizerOn: 'host' },
      { zero_optimization: expect.objectContaining({ stage: 2, offload_optimizer: { device: 'cpu', pin_memory: true } }) },
    ],
    [
      'states on a drive',
      { data: 8, shards: 'weights', optimizerOn: 'nvme' },
      { zero_optimization: { stage: 3, offload_optimizer: { device: 'nvme' } } },
    ],
    ['tensor parallelism', { tensor: 4 }, { tensor_parallel: { autotp_size: 4 } }],
    ['32 bits', { precision: 'fp32' }, { bf16: { enabled: false } }],
  ] as const)('%s', (_, decision, fields) => {
    expect(JSON.parse(deepspeedExport(decision).text)).toMatchObject(fields)
  })

  test.each([
    ['a pipeline', { pipeline: 2 }, 'PipelineModule'],
    ['a ring', { context: 2 }, 'it has no ring'],
    ['8-bit products', { precision: 'fp8' }, 'written as bf16'],
    ['recomputation', { recompute: 'full' }, 'the model must call'],
    ['hybrid sharding', { data: 8, shards: 'weights', shardGroup: 4 }, 'not in groups'],
  ] as const)('%s is a warning', (_, decision, warning) => {
    expect(deepspeedExport(decision).warnings).toContainEqual(expect.stringContaining(warning))
  })

  test.each([
    ['a pipeline with ZeRO-2', { pipeline: 2, data: 4, shards: 'gradients' }, 'ZeRO stages 0 and 1 only, not 2'],
    ['a pipeline with ZeRO-3', { pipeline: 2, data: 4, shards: 'weights' }, 'ZeRO stages 0 and 1 only, not 3'],
    ['16-bit main weights without ZeRO', { data: 4, precision: 'bf16-pure' }, 'from ZeRO stage 1 on'],
  ] as const)('%s: refused', (_, decision, reason) => {
    expect(deepspeedExport(decision).impossible).toEqual([expect.stringContaining(reason)])
  })

  test.each([
    ['sequence parallelism and ZeRO-3', { context: 2, data: 8, shards: 'weights' }, 'ZeRO stage 3'],
    ['tensor parallelism and a pipeline', { tensor: 2, pipeline: 2, data: 4 }, 'neither a pipeline'],
    ['tensor parallelism and the host', { tensor: 2, data: 8, shards: 'optimizer', optimizerOn: 'host' }, 'optimizer on the host'],
  ] as const)('experts with %s: refused', (_, decision, reason) => {
    const plan = planFrom({ ...PLAN_INPUTS.mixtral, devices: 16, decision: { expert: 8, ...decision } })
    expect(exportPlan(plan, 'deepspeed').impossible).toEqual([expect.stringContaining(reason)])
  })

  test('experts with tensor parallelism are accepted', () => {
    const plan = planFrom({ ...PLAN_INPUTS.mixtral, devices: 16, decision: { expert: 8, tensor: 2, data: 8 } })
    expect(exportPlan(plan, 'deepspeed')).toMatchObject({ impossible: [], warnings: [] })
  })
})

describe('what no framework of the three can run', () => {
  test.each(['megatron', 'torchtitan', 'deepspeed', 'slurm'] as const)('%s refuses adapters and TPUs', (target) => {
    const adapters = planWith({ precision: 'qlora' })
    expect(exportPlan(adapters, target).impossible).toEqual([expect.stringContaining('would train all weights')])
    const plan = planWith({ precision: 'fsdp-mixed' })
    const onTpu = { ...plan, fleet: { ...plan.fleet, accelerator: 'tpu-v5p' } }
    expect(exportPlan(onTpu, target).impossible).toEqual([expect.stringContaining('does not run on tpu-v5p')])
  })

  test.each(['megatron', 'torchtitan', 'deepspeed'] as const)('%s refuses a plan that contradicts itself', (target) => {
    const plan = planWith({ precision: 'fsdp-mixed', data: 4, shards: 'weights' })
    const impossibleIn = (changed: object) => exportPlan({ ...plan, ...changed }, target).impossible
    expect(impossibleIn({ globalBatch: 126 })).toEqual([expect.stringContaining('does not divide into whole microbatches')])
    expect(impossibleIn({ fleet: { ...plan.fleet, devices: 5 } })).toEqual([expect.stringContaining('uses 4 devices, the fleet has 5')])
    expect(impossibleIn({ decision: { ...plan.decision, shardGroup: 3 } })).toEqual([expect.stringContaining('shards of 3 ranks')])
  })

  test('torchtitan refuses a model that it does not register', () => {
    expect(exportPlan(planWith({ precision: 'fsdp-mixed' }, 33), 'torchtitan').impossible).toEqual([
      expect.stringContaining('registers no llama of 33 layers'),
    ])
  })
})

test.each(['megatron', 'torchtitan', 'deepspeed'] as const)('%s: what is not expressed stands in the text', (target) => {
  const { text, warnings } = exportPlan(planWith({ precision: 'fsdp-mixed', optimizerOn: 'nvme', data: 2, shards: 'weights' }), target)
  expect(warnings.length).toBeGreaterThan(0)
  for (const warning of warnings) expect(text).toContain(`Not expressed: ${warning}`)
})

test.each([
  ['megatron', 'fsdp-eager'],
  ['torchtitan', 'megatron-core'],
  ['deepspeed', 'megatron-core'],
] as const)('%s: a price of %s is no price of its own', (target, name) => {
  const plan = { ...planWith({ precision: 'fsdp-mixed' }), runtime: { name, overlapsTensor: false } }
  expect(exportPlan(plan, target).warnings).toContainEqual(expect.stringContaining(`priced with the overheads of ${name}`))
})

test('slurm counts hosts where the fast links join several', () => {
  const plan = planWith({ data: 128 })
  const { text } = exportPlan({ ...plan, fleet: { ...plan.fleet, perNode: 64, perHost: 4 } }, 'slurm')
  expect(text).toContain('#SBATCH --nodes=32\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node=4')
})

test('slurm counts nodes, and warns where the last would be half empty', () => {
  expect(exportPlan(planWith({ data: 2 }), 'slurm').text).toContain(
    '#SBATCH --nodes=1\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node=2',
  )
  expect(exportPlan(planWith({ data: 4, tensor: 3 }), 'slurm').warnings).toContainEqual(expect.stringContaining('do not fill 2 nodes of 8'))
})

describe('axolotl', () => {
  const adapted = (precision: string, targets: 'attention' | 'all-linear', decision: Partial<TrainingDecision> = {}) =>
    exportPlan({ ...planWith({ precision, ...decision }), lora: { rank: 32, targets } }, 'axolotl')

  test('writes rank and targets of the adapters, and four bits for QLoRA', () => {
    const { text, impossible } = adapted('qlora', 'all-linear')
    expect(impossible).toEqual([])
    expect(text).toContain('adapter: "qlora"\nload_in_4bit: true\nlora_r: 32')
    expect(text).toContain('lora_target_linear: true')
    expect(adapted('lora', 'attention').text).toContain('lora_target_modules:\n  - "q_proj"')
    expect(adapted('lora', 'attention').text).not.toContain('load_in_4bit')
  })

  test('never trains all weights where adapters were planned', () => {
    expect(exportPlan(planWith({ precision: 'qlora' }), 'axolotl').impossible).toEqual([expect.stringContaining('which adapters')])
  })

  test('refuses pipelines, and tensors outside DeepSpeed', () => {
    expect(adapted('lora', 'attention', { pipeline: 2 }).impossible).toEqual([expect.stringContaining('no pipelines')])
    expect(adapted('lora', 'attention', { tensor: 2 }).impossible).toEqual([expect.stringContaining('DeepSpeed alone')])
  })

  test.each([
    ['t4', 'fp16-mixed', 'bf16: false\nfp16: true\nattn_implementation: "sdpa"'],
    ['v100-sxm2-32gb', 'qlora', 'bf16: false\nfp16: true\nattn_implementation: "sdpa"'],
    ['t4', 'fp32', 'bf16: false\nattn_implementation: "sdpa"'],
    ['a100-80gb-sxm', 'bf16-mixed', 'bf16: true\nattn_implementation: "flash_attention_2"'],
    ['a100-80gb-sxm', 'fp16-mixed', 'bf16: false\nfp16: true\nattn_implementation: "flash_attention_2"'],
  ])('asks of a %s in %s for what it has', (accelerator, precision, lines) => {
    const plan = planWith({ precision })
    const { text, warnings } = exportPlan({ ...plan, fleet: { ...plan.fleet, accelerator } }, 'axolotl')
    expect(text).toContain(lines)
    expect(warnings).not.toContainEqual(expect.stringContaining(`precision ${precision}`))
  })

  test('names the optimizer', () => {
    expect(exportPlan({ ...planWith({}), optimizer: 'adam-8bit' }, 'axolotl').text).toContain('optimizer: "adamw_bnb_8bit"')
  })
})
