import { rareLength } from '@ironlaw/contracts'
import { sampleServingPlan } from '@ironlaw/contracts/sample-plan'
import { expect, test } from 'vitest'
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

test('the model stays where the user said', () => {
  const plan = { ...PLAN, engine: 'sglang' }
  const { argv } = plannedEngine(plan, { engine: 'sglang', program: ['serve.sh', '--model-path', 'mine'], pool: POOL })
  expect(argv.filter((word) => word === '--model-path')).toHaveLength(1)
  expect(argv).not.toContain(PLAN.model.name)
})

test('a flag that the plan decides is named', () => {
  const program = ['serve.sh', '--tensor-parallel-size=8']
  expect(plannedEngine(PLAN, { engine: 'vllm', program, pool: POOL }).repeated).toEqual(['--tensor-parallel-size=8'])
})

test('another engine than was priced is inexact', () => {
  expect(plannedEngine(PLAN, { engine: 'sglang', program: ['s'], pool: POOL }).inexact[0]).toContain('priced with the overheads of vllm')
})

test('llama.cpp refuses what it cannot do', () => {
  const plan = { ...PLAN, cache: 'fp8' as const, speculation: { drafted: 2, acceptance: 0.5 } }
  expect(plannedEngine(plan, { engine: 'llamacpp', program: ['llama-server'], pool: POOL }).impossible).toHaveLength(3)
})

test('speculation by layers that the model has not is refused', () => {
  const plan = { ...PLAN, model: { ...PLAN.model, predictionLayers: 0 }, speculation: { drafted: 2, acceptance: 0.5 } }
  expect(plannedEngine(plan, { engine: 'vllm', program: ['s'], pool: POOL }).impossible).toEqual([expect.stringContaining('has no layers')])
})
