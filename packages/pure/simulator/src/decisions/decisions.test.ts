import { dalyInterval } from '@ironlaw/laws/checkpoint/interval'
import { DAY, HOUR, seconds } from '@ironlaw/units'
import { describe, expect, test } from 'vitest'
import type { Campaign } from '../training/campaign.ts'
import { plainCampaign } from '../training/plain-campaign.ts'
import { lowestPoint } from './golden-section.ts'
import { bestInterval } from './interval.ts'
import { bestSpares, nodesInRepair } from './spares.ts'
import { bestMix } from './tier-mix.ts'
import { worthOf } from './worth.ts'

const SAMPLE = { replicas: 20, seed: 5 }

const plain = plainCampaign({ mtbf_s: 12 * HOUR, write_s: 60, interval_s: 2400, work_s: 20 * DAY })

const fleet: Campaign = {
  ...plain,
  nodes: 256,
  nodesPerRack: 4,
  nodesPerSwitch: 16,
  spares: 6,
  components: [{ name: 'gpu', scope: 'accelerator', mtbf_s: 30_000 * HOUR, detect_s: 300, repair_s: DAY }],
  recovery: { swap_s: 60, restart_s: 300, warmup_s: 0 },
}

describe('checkpoint interval', () => {
  test('golden section finds the valley', () => {
    expect(lowestPoint((at) => Math.log(at / 70) ** 2, { from: 1, to: 5000, steps: 24 })).toBeCloseTo(70, 0)
  })

  test("where its assumptions hold, simulation agrees with Daly's optimum", () => {
    const { simulated_s, daly_s, differs, effective } = bestInterval({ ...plain, window_s: 400 * DAY }, SAMPLE)
    expect(daly_s).toBeCloseTo(dalyInterval.of({ writeTime: seconds(60), mtbf: seconds(12 * HOUR) }), 6)
    expect(Math.abs(Math.log(simulated_s / daly_s))).toBeLessThan(0.4)
    expect(effective.simulated).toBeGreaterThanOrEqual(effective.daly - 1e-4)
    expect(differs).toBe(false)
  })

  test('differs where a checkpoint is only one after a long background write, and says why', () => {
    const { checkpointing } = plain
    const tiers: Campaign['checkpointing']['tiers'] = [{ ...checkpointing.tiers[0], write_s: 3 * HOUR }]
    const { differs, because, simulated_s, daly_s } = bestInterval(
      { ...plain, checkpointing: { ...checkpointing, pause_s: 5, tiers } },
      SAMPLE,
    )
    expect(differs).toBe(true)
    expect(simulated_s).toBeGreaterThan(2 * daly_s)
    expect(because.join()).toContain('committed')
  })
})

describe('spares', () => {
  test('as many as are in repair, and some more', () => {
    expect(nodesInRepair(fleet)).toBeCloseTo((2048 * 24) / 30_000, 9)
    const { best, points } = bestSpares(fleet, 1 / HOUR, SAMPLE)
    expect(best.spares).toBeGreaterThan(nodesInRepair(fleet))
    expect(best.spares).toBeLessThan(10)
    expect(points.map(({ effective }) => effective)).toEqual(points.map(({ effective }) => effective).toSorted((a, b) => a - b))
  })
})

describe('machines for a deadline', () => {
  const offers = [
    { name: 'on demand', price_usd_per_s: 4 / HOUR },
    { name: 'spot', price_usd_per_s: 1 / HOUR, taken: { mtbf_s: 3 * DAY, notice_s: 120, back_s: HOUR } },
  ]
  const campaign = { ...fleet, nodes: 16, spares: 1 }

  test('all spot where there is time, less of it where there is not', () => {
    const ask = (deadline_s: number) => bestMix(campaign, { offers, deadline_s, confidence: 0.9 }, SAMPLE)
    const { best, mixes } = ask(60 * DAY)
    expect(best?.share).toBe(1)
    const [steady, ...risky] = mixes.map(({ wall_s }) => wall_s)
    expect(risky.at(-1)).toBeGreaterThan(1.02 * steady!)
    expect(ask((steady! + risky.at(-1)!) / 2).best?.share).toBeLessThan(1)
    expect(ask(DAY).best).toBeUndefined()
  })
})

describe('what an improvement is worth', () => {
  test('half the failures save most, and nothing costs time', () => {
    const worth = worthOf(fleet, 1 / HOUR, SAMPLE)
    expect(worth[0]?.change).toBe('failures half as often')
    for (const { saved_s, saved_usd } of worth) {
      expect(saved_s).toBeGreaterThan(-0.001 * fleet.work_s)
      expect(saved_usd).toBeCloseTo((saved_s * (256 + 6) * 8) / HOUR, 3)
    }
  })
})
