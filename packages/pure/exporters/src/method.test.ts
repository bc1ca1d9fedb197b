import type { TrainingDecision, TrainingPlan } from '@ironlaw/contracts'
import { describe, expect, test } from 'vitest'
import { type ExportedPlan } from './exported.ts'
import { exportPlan, type Target } from './export-plan.ts'
import { PLAN_INPUTS, planFrom } from './golden/plans.ts'
import { plannedProgram } from './program.ts'

type Trained = Pick<TrainingPlan, 'method' | 'packed'> & { readonly microbatch?: number }

function planWith({ microbatch = 4, ...trained }: Trained): TrainingPlan {
  const decision: Partial<TrainingDecision> = { data: 8, shards: 'weights', microbatch }
  return { ...planFrom({ ...PLAN_INPUTS['llama-8b'], devices: 8, decision }), ...trained }
}

const exported = (target: Target, trained: Trained): ExportedPlan => exportPlan(planWith(trained), target)

describe('DPO', () => {
  test('is what Axolotl runs, its microbatch counted in pairs', () => {
    const { text, impossible } = exported('axolotl', { method: 'dpo', packed: false })
    expect(text).toContain('rl: "dpo"\nsample_packing: false\npad_to_sequence_len: true\nmicro_batch_size: 2\n')
    expect(impossible).toEqual([])
    expect(exported('axolotl', {}).text).not.toContain('rl:')
  })

  test.each([
    ['both answers of a pair', { method: 'dpo', microbatch: 1 }],
    ['documents.packed: false', { method: 'dpo', packed: true }],
  ] as const)('that Axolotl would refuse says %s', (problem, trained) => {
    expect(exported('axolotl', trained).impossible).toEqual([expect.stringContaining(problem)])
  })

  test.each(['megatron', 'torchtitan'] as const)('is impossible with %s, which names Axolotl', (target) => {
    expect(exported(target, { method: 'dpo' }).impossible).toEqual([expect.stringContaining('export to axolotl')])
  })

  test('is left to the program by DeepSpeed', () => {
    expect(exported('deepspeed', { method: 'dpo' }).warnings).toContainEqual(expect.stringContaining('runs the reference model'))
  })
})

describe('packed documents', () => {
  test.each([
    ['axolotl', 'sample_packing: true\npad_to_sequence_len: true'],
    ['megatron', '--sft\n  --no-create-attention-mask-in-dataloader'],
    ['torchtitan', 'flavor = "8B_flex"'],
  ] as const)('are what %s runs', (target, setting) => {
    const { text, impossible } = exported(target, { packed: true })
    expect(text).toContain(setting)
    expect(impossible).toEqual([])
    expect(exported(target, {}).text).not.toContain(setting)
  })

  test('that a framework joins or pads otherwise are a warning', () => {
    for (const target of ['megatron', 'torchtitan'] as const)
      expect(exported(target, { packed: false }).warnings).toContainEqual(expect.stringContaining('documents.packed: true'))
    expect(exported('deepspeed', { packed: true }).warnings).toContainEqual(expect.stringContaining('packs them'))
  })
})

test('a program of the SDK reads both', () => {
  const { environment } = plannedProgram(planWith({ method: 'dpo', packed: false }), { framework: 'sdk', program: ['train.py'] })
  expect(JSON.parse(environment['IRONLAW_STRATEGY'] ?? '')).toMatchObject({ method: 'dpo', packed: false })
})
