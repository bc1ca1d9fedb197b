import { DISPATCHERS, RECOMPUTE_MODULES, type TrainingDecision } from '@ironlaw/contracts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exportPlan } from './export-plan.ts'
import { PLAN_INPUTS, planFrom } from './golden/plans.ts'

type Priced = Pick<TrainingDecision, 'dispatcher' | 'expertOverlap' | 'recompute' | 'recomputeModules'>

/** What the arguments say, in the words of a plan. */
function readBack(text: string): Priced {
  const valueOf = (flag: string): string | undefined => new RegExp(`^ *${flag} (.+)$`, 'mu').exec(text)?.[1]
  const type = valueOf('--moe-token-dispatcher-type')
  const name = type === 'flex' ? valueOf('--moe-flex-dispatcher-backend') : type
  const dispatcher = DISPATCHERS.find((each) => each === name)
  const granularity = valueOf('--recompute-granularity')
  const modules = valueOf('--recompute-modules')?.split(' ')
  return {
    ...(dispatcher && { dispatcher }),
    expertOverlap: text.includes('--overlap-moe-expert-parallel-comm'),
    recompute: granularity === 'selective' || granularity === 'full' ? granularity : 'none',
    ...(modules && { recomputeModules: RECOMPUTE_MODULES.filter((module) => modules.includes(module)) }),
  }
}

const priced = fc
  .record({
    dispatcher: fc.constantFrom(...DISPATCHERS),
    expertOverlap: fc.boolean(),
    recompute: fc.constantFrom('none', 'selective', 'full'),
    modules: fc.subarray([...RECOMPUTE_MODULES], { minLength: 1 }),
  })
  .map(({ modules, ...rest }): Priced => ({
    ...rest,
    ...(rest.recompute === 'selective' && { recomputeModules: RECOMPUTE_MODULES.filter((module) => modules.includes(module)) }),
  }))

const exported = (decision: Partial<TrainingDecision>) =>
  exportPlan(planFrom({ ...PLAN_INPUTS.mixtral, decision: { expert: 8, pipeline: 2, data: 32, ...decision } }), 'megatron')

describe('experts in Megatron-LM', () => {
  test('dispatcher, overlap and recomputed modules are written as they were priced', () => {
    fc.assert(
      fc.property(priced, (drawn) => {
        expect(readBack(exported({ virtual: 2, schedule: 'interleaved', ...drawn }).text)).toEqual(drawn)
      }),
    )
  })

  test('overlap gets many hardware queues, which tensor parallelism alone does not', () => {
    const split = { tensor: 2, sequenceParallel: true, data: 16, virtual: 2, schedule: 'interleaved' } as const
    expect(exported({ ...split, expertOverlap: true }).text).toContain('CUDA_DEVICE_MAX_CONNECTIONS=32')
    expect(exported(split).text).toContain('CUDA_DEVICE_MAX_CONNECTIONS=1\n')
  })

  test.each([
    ['a pipeline of whole stages', { expertOverlap: true }, 'only in an interleaved pipeline'],
    ['full recomputation', { virtual: 2, schedule: 'interleaved', expertOverlap: true, recompute: 'full' }, 'that are recomputed'],
  ] as const)('overlap in %s is refused', (_, decision, reason) =>
    expect(exported(decision).impossible).toEqual([expect.stringContaining(reason)]),
  )

  test('tokens in 8 bits are a warning: its dispatchers send 16', () =>
    expect(exported({ dispatcher: 'deepep', dispatchPrecision: 'fp8' }).warnings).toContainEqual(expect.stringContaining('in 16 bits')))
})
