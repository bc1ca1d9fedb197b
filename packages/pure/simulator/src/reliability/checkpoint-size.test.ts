import { sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'
import { expect, test } from 'vitest'
import { checkpointSize } from './checkpoint-size.ts'

const LLAMA_8B = {
  name: 'Llama-3.1-8B',
  layers: 32,
  width: 4096,
  heads: 32,
  kvHeads: 8,
  inner: 14_336,
  vocabulary: 128_256,
  gated: true,
  modelType: 'llama',
}
/** Token table and head, which Muon leaves to Adam. */
const ENDS = 2 * 128_256 * 4096

// PEFT counts 41,943,040 trainable parameters for rank 16 on all linear layers of Llama 3 8B, and 13,631,488 on its attention.
test.each([
  ['Adam: weights, master copy and two moments', {}, 14 * 8.03e9],
  ['FP32 needs no master copy', { decision: { precision: 'fp32' } }, 12 * 8.03e9],
  ['16 bits throughout', { decision: { precision: 'bf16-pure' } }, 6 * 8.03e9],
  ['moments in 8 bits', { optimizer: 'adam-8bit' }, (6 + 2 + 8 / 256) * 8.03e9],
  ['Muon: one momentum for layers', { optimizer: 'muon' }, 10 * 8.03e9 + 4 * ENDS],
  ['adapters alone', { decision: { precision: 'qlora' }, lora: { rank: 16, targets: 'all-linear' } }, 14 * 41_943_040],
  ['adapters of attention', { decision: { precision: 'lora' }, lora: { rank: 16, targets: 'attention' } }, 14 * 13_631_488],
] as const)('%s', (_, given, want) => {
  const { bytes } = checkpointSize(sampleTrainingPlan({ model: LLAMA_8B, ...given }))
  expect(bytes / want).toBeCloseTo(1, 3)
})

test('says what it is made of', () => {
  const text = (given: Parameters<typeof sampleTrainingPlan>[0]) => checkpointSize(sampleTrainingPlan({ model: LLAMA_8B, ...given })).from
  expect(text({})).toContain('14 B per parameter: bf16 weights')
  expect(text({ optimizer: 'muon' })).toBe('10 B per parameter: 2 of the weight, 4 of the master copy, 4 of what muon keeps')
  expect(text({ lora: { rank: 8, targets: 'attention' } })).toContain('14 B per parameter of the adapters')
})
