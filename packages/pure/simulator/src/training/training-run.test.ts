import { fc, test as property } from '@fast-check/vitest'
import { expectedRunTime } from '@ironlaw/laws/checkpoint/interval'
import { DAY, HOUR, seconds } from '@ironlaw/units'
import { describe, expect, test } from 'vitest'
import type { Campaign, Component, Tier } from './campaign.ts'
import { plainCampaign } from './plain-campaign.ts'
import { trialsOf, simulate } from './simulate.ts'

const component = fc.record({
  name: fc.constant('part'),
  scope: fc.constantFrom('accelerator', 'node', 'rack', 'switch', 'job'),
  mtbf_s: fc.integer({ min: 20_000, max: 4_000_000 }),
  shape: fc.constantFrom(0.7, 1, 2),
  detect_s: fc.integer({ min: 0, max: 900 }),
  repair_s: fc.constantFrom(0, 3600, 40_000),
})

const tier = fc.record({
  name: fc.constant('tier'),
  write_s: fc.constantFrom(0, 30, 400, 5000),
  load_s: fc.constantFrom(0, 20),
  every: fc.integer({ min: 1, max: 4 }),
  survives: fc.constantFrom('process', 'node', 'everything'),
})

/** Anything that may be simulated, small. */
const anyCampaign: fc.Arbitrary<Campaign> = fc
  .record({
    nodes: fc.integer({ min: 1, max: 40 }),
    spares: fc.integer({ min: 0, max: 5 }),
    work_s: fc.constantFrom(50_000, 400_000),
    components: fc.array(component, { minLength: 1, maxLength: 4 }),
    flags: fc.record({ silent: fc.boolean(), notice: fc.boolean(), elastic: fc.boolean(), slow: fc.boolean(), maintenance: fc.boolean() }),
    tiers: fc.tuple(tier, tier),
    interval_s: fc.integer({ min: 60, max: 20_000 }),
    slowdown: fc.constantFrom(0, 0.3),
  })
  .map(({ nodes, spares, work_s, components, flags, tiers, interval_s, slowdown }) => ({
    nodes,
    perNode: 8,
    nodesPerRack: 3,
    nodesPerSwitch: 7,
    spares,
    work_s,
    window_s: 600_000,
    components: components.map((each, index): Component => ({
      ...each,
      ...(flags.silent && index === 0 && { silent: true }),
      ...(flags.notice && index === 1 && { notice_s: 120 }),
    })),
    checkpointing: { rule: { kind: 'every', interval_s }, pause_s: 11, tiers, slowdown },
    recovery: { swap_s: 60, restart_s: 200, warmup_s: 30 },
    ...(flags.elastic && { elastic: { unit: 2, least: 2 } }),
    ...(flags.slow && { stragglers: { mtbf_s: 200_000, slowdown: 0.07, lasts_s: 4000 } }),
    ...(flags.maintenance && { maintenance: { every_s: 90_000, lasts_s: 1200 } }),
  }))

const total = (values: Iterable<number>): number => [...values].reduce((sum, value) => sum + value, 0)

describe('any run', () => {
  property.prop([anyCampaign, fc.integer({ min: 0, max: 1e6 })])(
    'accounts for every microsecond, no cause below zero',
    (campaign, seed) => {
      for (const { ledger, wall, finished } of trialsOf(campaign, { replicas: 2, seed })) {
        expect(total(ledger)).toBe(wall)
        for (const spent of ledger) {
          expect(Number.isInteger(spent)).toBe(true)
          expect(spent).toBeGreaterThanOrEqual(0)
        }
        if (finished) expect(ledger[0]).toBe(campaign.work_s * 1e6)
        else expect(wall).toBe(campaign.window_s * 1e6)
      }
    },
  )

  property.prop([anyCampaign, fc.integer({ min: 0, max: 1e6 })])('is the same for the same seed', (campaign, seed) => {
    expect(trialsOf(campaign, { replicas: 2, seed })).toEqual(trialsOf(campaign, { replicas: 2, seed }))
  })
})

/** A second tier that is never due changes nothing but that every checkpoint is simulated by itself. */
const oneByOne = ({ checkpointing, ...rest }: Campaign): Campaign => {
  const [tier] = checkpointing.tiers
  return { ...rest, checkpointing: { ...checkpointing, tiers: [tier, { ...tier, every: 1e9 }] } }
}

describe('checkpoints counted many at a time', () => {
  property.prop([anyCampaign, fc.integer({ min: 0, max: 1e6 })])('are the same as one by one', (any, seed) => {
    const { maintenance: _, ...campaign } = any
    const one: Campaign = {
      ...campaign,
      checkpointing: { ...campaign.checkpointing, tiers: [{ ...campaign.checkpointing.tiers[0], every: 1 }] },
    }
    const essence = (of: Campaign): unknown =>
      trialsOf(of, { replicas: 2, seed }).map(({ ledger, wall, interruptions, failures }) => ({ ledger, wall, interruptions, failures }))
    const regrows = campaign.elastic !== undefined
    if (!regrows) expect(essence(one)).toEqual(essence(oneByOne(one)))
  })
})

const fleet = (over: Partial<Campaign> = {}): Campaign => ({
  nodes: 64,
  perNode: 8,
  nodesPerRack: 4,
  nodesPerSwitch: 16,
  spares: 4,
  work_s: 10 * DAY,
  window_s: 100 * DAY,
  components: [{ name: 'gpu', scope: 'accelerator', mtbf_s: 3000 * HOUR, detect_s: 60, repair_s: DAY }],
  checkpointing: {
    rule: { kind: 'every', interval_s: 1800 },
    pause_s: 10,
    tiers: [{ name: 'store', write_s: 60, load_s: 30, every: 1, survives: 'everything' }],
    slowdown: 0,
  },
  recovery: { swap_s: 60, restart_s: 300, warmup_s: 60 },
  ...over,
})

const SAMPLE = { replicas: 200, seed: 7 }

describe('a run on a fleet', () => {
  test('another seed is another trace', () => {
    const traces = [1, 2, 3].map((seed) => trialsOf(fleet(), { replicas: 1, seed })[0]?.trace)
    expect(new Set(traces).size).toBe(3)
  })

  test('fails as often as its parts do', () => {
    const { failures } = simulate(fleet({ work_s: Infinity, window_s: 30 * DAY, spares: 64 }), SAMPLE)
    expect(failures[0]! / ((512 * 30 * 24) / 3000)).toBeCloseTo(1, 1)
  })

  test('more spares never lower goodput in expectation', () => {
    const goodput = [0, 1, 2, 4, 8, 16].map((spares) => simulate(fleet({ spares }), SAMPLE).effective.mean)
    expect(goodput).toEqual(goodput.toSorted((a, b) => a - b))
    expect(goodput.at(-1)! - goodput[0]!).toBeGreaterThan(0.1)
  })

  test('a checkpoint that is never committed is never restored', () => {
    const never: Tier = { name: 'store', write_s: 1000 * DAY, load_s: 0, every: 1, survives: 'everything' }
    const { checkpointing } = fleet()
    const campaign = fleet({ work_s: 2 * DAY, checkpointing: { ...checkpointing, tiers: [never] } })
    for (const { interruptions, ledger, finished } of trialsOf(campaign, { replicas: 5, seed: 1 })) {
      expect(interruptions).toBeGreaterThan(100)
      expect(finished).toBe(false)
      // Back to the beginning at each interruption: what is kept is at most one interval before the first write and one during it.
      expect(ledger[0]).toBeLessThanOrEqual(2 * 1800e6)
    }
  })

  test('a switch takes all nodes below it: spares for all of them, or a wait', () => {
    const components: Component[] = [{ name: 'switch', scope: 'switch', mtbf_s: 10 * DAY, detect_s: 60, repair_s: 6 * HOUR }]
    const waits = [15, 16].map((spares) => simulate(fleet({ components, spares, work_s: 3 * DAY }), SAMPLE).shares.recovery)
    expect(waits[0]).toBeGreaterThan(0.03)
    expect(waits[1]).toBeLessThan(waits[0]! / 3)
  })

  test('a local tier helps where it outlives the failure, and only there', () => {
    const { checkpointing } = fleet()
    const remote: Tier = { name: 'store', write_s: 3000, load_s: 300, every: 4, survives: 'everything' }
    const lostWith = (survives: Tier['survives']): number => {
      const tiers: Campaign['checkpointing']['tiers'] = [{ name: 'peer', write_s: 5, load_s: 10, every: 1, survives }, remote]
      return simulate(fleet({ checkpointing: { ...checkpointing, tiers } }), SAMPLE).shares['lost work']
    }
    expect(lostWith('node')).toBeLessThan(lostWith('process') / 3)
  })

  test('notice of a loss saves the work before it', () => {
    const spot = (notice_s: number): Component => ({ name: 'spot', scope: 'node', mtbf_s: 20 * DAY, detect_s: 5, repair_s: HOUR, notice_s })
    const lost = [0, 120].map((notice) => simulate(fleet({ components: [spot(notice)] }), SAMPLE).shares['lost work'])
    expect(lost[1]).toBeLessThan(lost[0]! / 3)
  })

  test('silent corruption costs more work than a crash', () => {
    const of = (silent: boolean): Component => ({
      name: 'core',
      scope: 'node',
      mtbf_s: 200 * DAY,
      detect_s: 6 * HOUR,
      repair_s: 60,
      ...(silent && { silent }),
    })
    const [crash, corrupt] = [false, true].map((silent) => simulate(fleet({ components: [of(silent)] }), SAMPLE).shares['lost work'])
    expect(corrupt).toBeGreaterThan(5 * crash!)
  })

  test('going on smaller beats waiting when repair is slow and there are no spares', () => {
    const slow = fleet({
      spares: 0,
      components: [{ name: 'gpu', scope: 'accelerator', mtbf_s: 30_000 * HOUR, detect_s: 60, repair_s: DAY }],
    })
    expect(simulate({ ...slow, elastic: { unit: 4, least: 32 } }, SAMPLE).wall_s.mean).toBeLessThan(simulate(slow, SAMPLE).wall_s.mean)
  })
})

describe('against the closed form', () => {
  test.each([
    { mtbf_s: HOUR, write_s: 60, interval_s: 660, restart_s: 120 },
    { mtbf_s: DAY, write_s: 120, interval_s: 4500, restart_s: 600 },
    { mtbf_s: 6 * HOUR, write_s: 600, interval_s: 5000, restart_s: 0 },
  ])('takes as long as Daly says: %o', (plain) => {
    const work_s = 200 * plain.interval_s
    const expected = expectedRunTime.of({
      solveTime: seconds(work_s),
      interval: seconds(plain.interval_s),
      writeTime: seconds(plain.write_s),
      restartTime: seconds(plain.restart_s),
      mtbf: seconds(plain.mtbf_s),
    })
    const { wall_s } = simulate(plainCampaign({ ...plain, work_s }), { replicas: 400, seed: 3 })
    expect(wall_s.mean / expected).toBeGreaterThan(0.985)
    expect(wall_s.mean / expected).toBeLessThan(1.015)
  })
})
