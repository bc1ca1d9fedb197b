import { rareLength } from '@ironlaw/contracts'
import { sampleServingPlan } from '@ironlaw/contracts/sample-plan'
import { describe, expect, test } from 'vitest'
import { plannedEngine } from './engine-program.ts'

const PLAN = sampleServingPlan()
const [POOL] = PLAN.pools
if (!POOL) throw new Error('no pool')

test('vLLM is started with the layout and the bounds of the plan, behind the words of the user', () => {
  const { argv, inexact, impossible } = plannedEngine(PLAN, { engine: 'vllm', program: ['serve.sh', '--port', '0'], pool: POOL })
  expect(argv.slice(0, 3)).toEqual(['serve.sh', '--port', '0'])
  expect(argv.join(' ')).toContain(`--quantization fp8 --max-model-len ${rareLength(1200) + rareLength(300)} --tensor-parallel-size 2`)
  expect({ inexact, impossible }).toEqual({ inexact: [], impossible: [] })
})

test('model and address stay as the user said', () => {
  const plan = { ...PLAN, engine: 'sglang' }
  const program = ['serve.sh', '--model-path', 'mine', '--host', '127.0.0.1']
  const { argv, repeated } = plannedEngine(plan, { engine: 'sglang', program, pool: POOL })
  expect(repeated).toEqual([])
  expect(argv.filter((word) => word === '--model-path' || word === '--host')).toHaveLength(2)
  expect(argv).not.toContain(PLAN.model.name)
})

test.each(['int4', 'nvfp4', 'int8', 'fp8-block'])('%s weights are read from the checkpoint: a condition, nothing inexact', (precision) => {
  for (const engine of ['vllm', 'sglang'] as const) {
    const { argv, inexact, requires } = plannedEngine({ ...PLAN, engine, precision }, { engine, program: ['s'], pool: POOL })
    expect(inexact).toEqual([])
    expect(requires).toEqual([expect.stringContaining(`already quantized to ${precision}`)])
    expect(argv).not.toContain('--quantization')
  }
})

describe('copies of the attention', () => {
  const pool = { ...POOL, layout: { tensor: 1, pipeline: 1, data: 8, expert: 8 }, devicesPerReplica: 8 }
  const plan = { ...PLAN, pools: [pool], prediction: { ...PLAN.prediction, decoding: 400, cache_tokens: 40_000 } }
  const valueOf = (argv: readonly string[], flag: string): number => Number(argv[argv.indexOf(flag) + 1])

  test('vLLM has the bounds of one rank', () => {
    const { argv, inexact } = plannedEngine(plan, { engine: 'vllm', program: [], pool })
    expect(valueOf(argv, '--max-num-seqs')).toBe(128)
    expect(valueOf(argv, '--max-num-batched-tokens')).toBe(8192)
    expect(valueOf(argv, '--max-model-len')).toBe(5000)
    expect(inexact).toEqual([expect.stringContaining('holds 5000 tokens')])
  })

  test('SGLang has those of all, which it divides', () => {
    const { argv } = plannedEngine({ ...plan, engine: 'sglang' }, { engine: 'sglang', program: [], pool })
    expect(valueOf(argv, '--max-running-requests')).toBe(1024)
    expect(valueOf(argv, '--chunked-prefill-size')).toBe(8 * 8192)
    expect(valueOf(argv, '--context-length')).toBe(5000)
  })
})

test('a flag that the plan decides is named', () => {
  const program = ['serve.sh', '--tensor-parallel-size=8', '--max_model_len', '100']
  expect(plannedEngine(PLAN, { engine: 'vllm', program, pool: POOL }).repeated).toEqual(['--tensor-parallel-size=8', '--max_model_len'])
})

test('another engine than was priced is inexact', () => {
  expect(plannedEngine(PLAN, { engine: 'sglang', program: ['s'], pool: POOL }).inexact[0]).toContain('priced with the overheads of vllm')
})

test('llama.cpp refuses what it cannot do', () => {
  const plan = { ...PLAN, cache: 'fp8' as const, speculation: { method: 'mtp' as const, drafted: 2, acceptance: 0.5 } }
  expect(plannedEngine(plan, { engine: 'llamacpp', program: ['llama-server'], pool: POOL }).impossible).toHaveLength(4)
})

test('an ordinary deployment of llama.cpp is what was planned', () => {
  const single = { ...POOL, layout: { tensor: 1, pipeline: 1, data: 1, expert: 1 }, devicesPerReplica: 1 }
  const plan = { ...PLAN, engine: 'llamacpp', precision: 'int4', pools: [single] }
  const { inexact, impossible, requires } = plannedEngine(plan, { engine: 'llamacpp', program: ['llama-server'], pool: single })
  expect({ inexact, impossible }).toEqual({ inexact: [], impossible: [] })
  expect(requires).toEqual([expect.stringContaining('quantized to int4')])
})

test('slots of llama.cpp share one context, and are no more than it has', () => {
  const single = { ...POOL, layout: { tensor: 1, pipeline: 1, data: 1, expert: 1 }, devicesPerReplica: 1 }
  const plan = { ...PLAN, pools: [single], prediction: { ...PLAN.prediction, decoding: 300 } }
  const { argv, inexact } = plannedEngine(plan, { engine: 'llamacpp', program: ['llama-server'], pool: single })
  expect(argv.slice(1, 4)).toEqual(['--parallel', '256', '--kv-unified'])
  expect(inexact).toContainEqual('llama.cpp takes 256 requests at once, 300 were planned')
})

test('speculation by layers that the model has not is refused', () => {
  const plan = {
    ...PLAN,
    model: { ...PLAN.model, predictionLayers: 0 },
    speculation: { method: 'mtp' as const, drafted: 2, acceptance: 0.5 },
  }
  expect(plannedEngine(plan, { engine: 'vllm', program: ['s'], pool: POOL }).impossible).toEqual([expect.stringContaining('has no layers')])
})
