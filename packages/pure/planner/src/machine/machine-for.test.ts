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

describe('what is not measured', () => {
  const machine = (accelerator: string) =>
    machineFor(builtInCatalog, { accelerator, policy: POLICIES['bf16-mixed'], runtime: RUNTIMES['megatron-core'] })

  test('MI300X multiplies no faster than its best published product, half of its peak', () => {
    const { engine, silicon } = machine('mi300x')
    expect((engine.peak * (silicon.gemm['bf16']?.compute ?? 1)) / 1307.4e12).toBeLessThan(0.52)
  })

  test('cards in slots share them; GeForce goes through the host', () => {
    expect(machine('rtx-4090').fabric.linkBandwidth).toBeLessThan(12e9)
    expect(machine('l40s').fabric.linkBandwidth).toBeLessThan(20e9)
    expect(machine('h100-sxm').fabric.linkBandwidth).toBe(450e9)
  })
})
