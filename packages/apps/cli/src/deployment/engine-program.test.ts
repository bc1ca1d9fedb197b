import { IronlawError, type ServingPlan } from '@ironlaw/contracts'
import { sampleServingPlan } from '@ironlaw/contracts/sample-plan'
import { parseServeSpec, type ServeSpec } from '@ironlaw/contracts/serve-spec'
import { planServing } from '@ironlaw/planner'
import { expect, test } from 'vitest'
import { catalogFor } from '../catalog/catalog-source.ts'
import { modelFrom } from '../model/model-source.ts'
import { engineCommand } from './engine-program.ts'

const PLAN = sampleServingPlan()

function deployOf(deploy: object): NonNullable<ServeSpec['deploy']> {
  const traffic = { requests_per_s: 20, input_tokens: 1200, output_tokens: 300 }
  const rest = { traffic, objectives: { ttft: '800 ms', tpot: '50 ms' }, deploy: { program: ['serve.sh'], ...deploy } }
  const spec = parseServeSpec({ apiVersion: 'ironlaw/v1', kind: 'Serve', name: 'chat', model: 'Llama-3.1-8B', ...rest }, 'serve.yaml')
  if (!spec.deploy) throw new Error('no deploy block')
  return spec.deploy
}

function refusalOf(plan: ServingPlan, deploy: object): IronlawError {
  try {
    engineCommand(plan, deployOf(deploy), false)
  } catch (error) {
    if (error instanceof IronlawError) return error
  }
  throw new Error('it was not refused')
}

test('weights that the checkpoint brings quantized are a condition to be met', () => {
  const { argv, requires } = engineCommand({ ...PLAN, precision: 'int4' }, deployOf({ engine: 'vllm' }), false)
  expect(argv.slice(0, 3)).toEqual(['serve.sh', '--max-model-len', expect.any(String)])
  expect(requires).toEqual([expect.stringContaining('already quantized to int4 (AWQ or GPTQ)')])
})

test('the next step of a refusal speaks of serving', () => {
  const inexact = refusalOf(PLAN, { engine: 'sglang' })
  expect(inexact).toMatchObject({ code: 'IL_INEXACT', next: expect.stringContaining('choose another deploy.engine') })
  const impossible = refusalOf({ ...PLAN, cache: 'int8' }, { engine: 'vllm' })
  expect(impossible).toMatchObject({ code: 'IL_IMPOSSIBLE', next: expect.stringContaining('choose another deploy.engine') })
  for (const { next } of [inexact, impossible]) {
    expect(next).toContain('"engine", "layout"')
    expect(next).not.toMatch(/run\.framework|strategy|\{/)
  }
})

test('an ordinary deployment of llama.cpp is planned for it, and started as planned', () => {
  const catalog = catalogFor(undefined)
  const imported = modelFrom('Llama-3.1-8B')
  const [plan] = planServing(catalog, {
    name: 'chat',
    model: imported.name,
    architecture: imported.architecture,
    traffic: { requests_per_s: 2, input_tokens: 800, output_tokens: 100, cachedPrompt: 0 },
    objectives: { ttft_s: 1, tpot_s: 0.05, percentile: 'p90' },
    engine: 'llamacpp',
    accelerators: ['h100-sxm'],
    precisions: ['int8'],
    cache: 'bf16',
    spare: 0,
    goal: 'cost',
    disaggregated: 'allowed',
  }).plans
  const { argv, requires } = engineCommand(plan!, deployOf({ engine: 'llamacpp', program: ['llama-server', '-m', 'q8.gguf'] }), false)
  expect(argv.slice(0, 4)).toEqual(['llama-server', '-m', 'q8.gguf', '--parallel'])
  expect(requires).toEqual(['the weights are as the GGUF file has them: it must be quantized to int8'])
})

test('without an engine the program stays as it is', () => {
  expect(engineCommand(PLAN, deployOf({}), false)).toEqual({ argv: ['serve.sh'], requires: [] })
})
