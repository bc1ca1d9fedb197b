import { mmcP99, mmcWait } from '@ironlaw/laws/queueing/many-servers'
import { md1, mm1 } from '@ironlaw/laws/queueing/single-server'
import { quantity } from '@ironlaw/units'
import { describe, expect, test } from 'vitest'
import { md1Quantile, simulatedMD1, simulatedMM1, simulatedMMc } from './queueing.ts'

const asked = { utilization: 0.5, count: 250_000, seed: 1 }
const serviceTime = quantity(1, 's')
const utilization = quantity(asked.utilization, '1')

/** Within two percent of the law. */
const near = (simulated: number, law: number): void => expect(Math.abs(simulated / law - 1)).toBeLessThan(0.02)

describe('queueing laws against the simulator', () => {
  test('M/M/1: mean and p99', () => {
    const { mean, p99 } = simulatedMM1(asked)
    const law = mm1.of({ serviceTime, utilization })
    near(mean, law)
    near(p99, Math.log(100) * law)
  })

  test('M/D/1: mean and p99', () => {
    const { mean, p99 } = simulatedMD1(asked)
    near(mean, md1.of({ serviceTime, utilization }))
    near(p99, md1Quantile(asked.utilization, 0.99))
  })

  test('M/M/c: mean and p99', () => {
    const servers = quantity(4, '1')
    const { mean, p99 } = simulatedMMc(4, { ...asked, utilization: 0.7 })
    near(mean, 1 + mmcWait.of({ servers, utilization: quantity(0.7, '1'), serviceTime }))
    near(p99, mmcP99.of({ servers, utilization: quantity(0.7, '1'), serviceTime }))
  })
})
