import { builtInCatalog } from '@ironlaw/catalog'
import { describe, expect, test } from 'vitest'
import type { Setup } from '../training/job.ts'
import { machineFor } from './machine-for.ts'
import { POLICIES, type PolicyName } from '../training/memory/precision.ts'
import { RUNTIMES } from '../training/time/runtimes.ts'
import { sampleJob } from '../training/sample-job.ts'
import { stepTime } from '../training/time/step-time.ts'
import { PLAIN } from '../training/strategy.ts'

const setupOf = (accelerator: string, policy: PolicyName): Setup => ({
  job: sampleJob('Llama-3.1-70B', { policy }),
  machine: machineFor(builtInCatalog, { accelerator, policy: POLICIES[policy], runtime: RUNTIMES['megatron-core'] }),
})

describe('four-bit products', () => {
  test.each(['b200', 'b300', 'gb200', 'gb300', 'rtx-pro-6000-server'])('are priced by their own curve on %s', (accelerator) => {
    expect(setupOf(accelerator, 'nvfp4').machine.curve).toBe('fp4')
  })

  test('take less time than in 8 bits, and attention as much', () => {
    const [eight, four] = (['fp8', 'nvfp4'] as const).map(
      (policy) => stepTime(setupOf('gb200', policy), { ...PLAIN, tensor: 8, data: 8 }).causes,
    )
    expect(four?.products).toBeLessThan(eight?.products ?? 0)
    expect(four?.attention).toBe(eight?.attention)
  })

  test('are refused without a peak, and without a measured kernel', () => {
    expect(() => setupOf('h100-sxm', 'nvfp4')).toThrow('no published dense peak in fp4')
    expect(() => setupOf('mi355x', 'nvfp4')).toThrow('no measured kernel in fp4')
  })
})
