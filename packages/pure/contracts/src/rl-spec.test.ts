import { expect, test } from 'vitest'
import { parseRlSpec } from './rl-spec.ts'

const GRPO = {
  apiVersion: 'ironlaw/v1',
  kind: 'RL',
  name: 'grpo',
  model: 'Llama-3.1-8B',
  steps: 100,
  prompts: 64,
  samples: 32,
  promptTokens: 100,
  answers: { mean: 1000 },
  longestAnswer: 4000,
  fleet: { accelerator: 'h100-sxm', count: 16 },
}

const parsed = (more: Record<string, unknown>) => parseRlSpec({ ...GRPO, ...more }, 'rl.yaml')

test.each([
  [{ placement: 'colocated', staleness: 1 }, 'staleness: engines and trainer that share accelerators take turns'],
  [
    { placement: 'colocated', generation: { devices: 8 } },
    'generation.devices: engines that share the accelerators of the trainer use all',
  ],
  [{ generation: { devices: 16 } }, 'generation.devices: the trainer needs accelerators of its own: of 16, at most 15 can generate'],
  [{ placement: 'separate', generation: { devices: 99 } }, 'generation.devices: the trainer needs'],
  [{ placement: 'separate', fleet: { ...GRPO.fleet, count: 1 } }, 'fleet.count: one accelerator cannot be divided'],
  [{ staleness: 2, fleet: { ...GRPO.fleet, count: 1 } }, 'fleet.count: one accelerator cannot be divided'],
  [{ generation: { devices: 4, tensor: 8 } }, 'generation.tensor: an engine of 8 accelerators is larger than the 4 that generate'],
  [{ updateBatch: 4096 }, 'updateBatch: a step has 64 x 32 = 2,048 answers'],
  [{ answers: { mean: 8000 } }, 'longestAnswer: answers have a mean of 8000 tokens'],
])('%o is refused with the field to change', (more, problem) => {
  expect(() => parsed(more)).toThrow(problem)
})

test.each([
  {},
  { placement: 'colocated' },
  { generation: { devices: 15 } },
  { fleet: { ...GRPO.fleet, count: 1 } },
  { updateBatch: 2048 },
  { generation: { tensor: 16 } },
])('%o is accepted', (more) => {
  expect(parsed(more)).toMatchObject(more)
})
