import { builtInCatalog } from '@ironlaw/catalog'
import { sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'
import { DAY } from '@ironlaw/units'
import { describe, expect, test } from 'vitest'
import { campaignMtbf } from '../training/campaign.ts'
import { type CampaignOptions, planCampaign } from './plan-campaign.ts'
import { reliabilityForecast } from './reliability-forecast.ts'
import { statedFailures } from './stated-failures.ts'

const MODEL = {
  name: '70b',
  layers: 80,
  width: 8192,
  heads: 64,
  kvHeads: 8,
  inner: 28_672,
  vocabulary: 128_256,
  gated: true,
  modelType: 'llama',
}

const plan = (devices: number, spread: number) =>
  sampleTrainingPlan({
    model: MODEL,
    fleet: { devices, perNode: 8 },
    prediction: { duration_s: 30 * DAY, step_s: 10, step_low_s: 10 / spread, step_high_s: 10 * spread },
  })

const forecast = (devices: number, spread: number, options: CampaignOptions = {}) =>
  reliabilityForecast(builtInCatalog, plan(devices, spread), { replicas: 60, ...options })

describe('the range of a run', () => {
  test('holds the interval of the step', () => {
    const { range } = forecast(512, 1.2)
    expect(range.low_s).toBeLessThan((30 * DAY) / 1.15)
    expect(range.high_s).toBeGreaterThan(30 * DAY * 1.15)
    expect(range.holds).toEqual(['step', 'failure rate', 'restarts'])
  })

  test('holds the failure rate: a large fleet of sure steps is still unsure', () => {
    const { range } = forecast(16_384, 1.001)
    expect(range.high_s / range.median_s).toBeGreaterThan(1.2)
    expect(range.median_s / range.low_s).toBeLessThan(1.2)
  })

  test('a rate that was measured takes the spread among clusters away', () => {
    const published = forecast(16_384, 1.001).range
    const measured = forecast(16_384, 1.001, { perNodeDay: 0.0038 }).range
    expect(measured.high_s - measured.low_s).toBeLessThan(0.4 * (published.high_s - published.low_s))
    expect(measured.holds).toContain('number of failures')
  })
})

describe('what a spec states of failures', () => {
  const campaign = (failures: NonNullable<Parameters<typeof statedFailures>[0]['failures']>) =>
    planCampaign(builtInCatalog, plan(98_304, 1.1), statedFailures({ failures })).campaign
  const usual = campaign({})

  test('its own rate of interruptions', () => {
    const stated = campaign({ perThousandNodeDays: 2 })
    expect((stated.nodes * campaignMtbf(stated)) / DAY).toBeCloseTo(500, 6)
  })

  test('a restart inside the processes, and checkpoints to peers that storage backs', () => {
    const { recovery, checkpointing } = campaign({ restart: 'in-process', checkpointTo: 'peers' })
    expect(recovery.restart_s).toBeLessThan(usual.recovery.restart_s / 5)
    expect(checkpointing.tiers.map(({ survives, every }) => [survives, every])).toEqual([
      ['node', 1],
      ['everything', 10],
    ])
    expect(checkpointing.tiers[0].write_s).toBeLessThan(usual.checkpointing.tiers[0].write_s)
  })

  test('checkpoints to peers go through the network of the plan where that is slower', () => {
    const writes = (gigabytes: number) => {
      const capacities = [{ resource: 'port', share: 0.1, has: gigabytes * 1e9, unit: 'B/s' }] as const
      const given = plan(512, 1.1)
      const { campaign: made } = planCampaign(
        builtInCatalog,
        { ...given, prediction: { ...given.prediction, capacities } },
        { checkpointTo: 'peers' },
      )
      return made.checkpointing.tiers[0].write_s
    }
    expect(writes(1.25)).toBeCloseTo(20 * writes(50), 6)
    expect(writes(50)).toBe(writes(100))
  })

  test('no more spot nodes go together than the plan uses', () => {
    const { campaign: few } = planCampaign(builtInCatalog, plan(16, 1.1), statedFailures({ failures: { spot: { together: 8 } } }))
    expect(few.nodesPerRack).toBe(2)
  })

  test('storage grows with the fleet unless its bandwidth is stated', () => {
    const bytes = usual.checkpointing.tiers[0].write_s * 12_288 * (2e12 / 2048)
    expect(campaign({ storageBandwidth: '100 GB/s' }).checkpointing.tiers[0].write_s).toBeCloseTo(bytes / 100e9, 6)
  })

  test('spot nodes that go together and come back late', () => {
    const { components, nodesPerRack } = campaign({ spot: { life: '2d', back: '6h', together: 8 } })
    expect(components.at(-1)).toMatchObject({ name: 'taken away', scope: 'rack', mtbf_s: 2 * DAY, repair_s: DAY / 4, notice_s: 120 })
    expect(nodesPerRack).toBe(8)
  })
})
