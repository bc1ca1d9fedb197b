import { builtInCatalog } from '@ironlaw/catalog'
import { builtInModel, importConfig } from '@ironlaw/models'
import { expect, test } from 'vitest'
import { machineFor } from '../../machine/machine-for.ts'
import { bestPoint, paretoFront } from './pareto.ts'
import { POLICIES } from '../memory/precision.ts'
import { RUNTIMES } from '../time/runtimes.ts'

const imported = importConfig(builtInModel('Llama-3.1-8B')?.config)
if (!imported.ok) throw new Error(imported.problem)
const policy = POLICIES['bf16-mixed']
const job = {
  architecture: imported.architecture,
  sequence: 8192,
  globalBatch: 512,
  policy,
  attention: 'flash',
  dropout: false,
  loss: 'fused',
  dummyGradients: false,
} as const
const machine = machineFor(builtInCatalog, { accelerator: 'h100-sxm', policy, runtime: RUNTIMES['megatron-core'] })
const front = paretoFront(builtInCatalog, machine, {
  name: 'front',
  model: 'Llama-3.1-8B',
  job,
  tokens: 1e12,
  accelerator: 'h100-sxm',
  fleet: { devices: 512, perNode: 8 },
})
const duration = (index: number): number => front[index]?.plan.prediction.duration_s ?? Number.NaN

test('along the front time rises and money falls', () => {
  expect(front.length).toBeGreaterThan(2)
  for (let index = 1; index < front.length; index += 1) {
    expect(duration(index)).toBeGreaterThan(duration(index - 1))
    expect(front[index]?.plan.prediction.cost_usd).toBeLessThan(front[index - 1]?.plan.prediction.cost_usd ?? 0)
  }
})

test('a goal takes its end of the front, a deadline and a budget move along it', () => {
  expect(bestPoint(front, 'time', {})).toBe(front[0])
  expect(bestPoint(front, 'cost', {})).toBe(front.at(-1))
  expect(bestPoint(front, 'cost', { deadline_s: duration(1) })).toBe(front[1])
  expect(bestPoint(front, 'time', { budget_usd: front.at(-1)?.plan.prediction.cost_usd ?? 0 })).toBe(front.at(-1))
  expect(bestPoint(front, 'time', { deadline_s: duration(0) / 2 })).toBeUndefined()
})
