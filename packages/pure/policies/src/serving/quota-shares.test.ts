// Seeded histories of several gateways and one ledger: messages are lost, doubled and late, gateways come, go, restart and are cut off, clocks
// disagree. The shares in force never add up to more than the whole, and what is admitted fits one bucket of the whole limit.

import { describe, expect, test } from 'vitest'
import { draws } from '../draws.fixture.ts'
import { WHOLE_SHARE } from '@ironlaw/contracts'
import type { QuotaLedger, QuotaReport } from '@ironlaw/contracts/gateway-quota'
import { demandAfter, demandShare, firstDemand, type HeldGrant, heldGrant, heldShare, settleShare, sharedQuota } from './quota-held.ts'
import { grantQuota, QUOTA_RULE, shareIn } from './quota-shares.ts'
import { type Quota, type QuotaUse, settleQuota, takeQuota, unusedQuota } from './quota.ts'

const QUOTA: Quota = { requestsPerMinute: 600, tokensPerMinute: 1e9, concurrency: 1e6, kvTokens: 1e9 }
const TENANT = 't'
const STEP_S = 0.25
const STEPS = 2400

/** What is changed in the policy on purpose, to see that a history finds it. */
type Planted = 'nothing' | 'older grants are forgotten unconfirmed' | 'gateways outlive their grants'

type Random = () => number

class SimulatedGateway {
  readonly id: string
  readonly boot: string
  readonly started_at: number
  readonly #rate: number
  readonly #planted: Planted
  readonly use: QuotaUse
  held: HeldGrant | undefined
  cutOffUntil = 0
  heard_at: number
  offers = 0
  #mark = firstDemand(0)

  constructor(id: string, { now, random, planted }: { readonly now: number; readonly random: Random; readonly planted: Planted }) {
    this.id = id
    this.boot = `${id} ${now} ${random()}`
    this.started_at = now
    this.#rate = 1 + 0.01 * (2 * random() - 1)
    this.#planted = planted
    this.heard_at = now
    this.use = unusedQuota(this.quota(now), this.clock(now))
  }

  /** Its own clock: begins somewhere, and runs a little fast or slow. */
  clock(now: number): number {
    return 1e4 + now * this.#rate
  }

  share(now: number): number {
    return heldShare(this.held, TENANT, this.clock(now))
  }

  quota(now: number): Quota {
    return sharedQuota(QUOTA, this.share(now))
  }

  admits(now: number): boolean {
    const verdict = takeQuota(this.use, this.quota(now), { tokens: 1, now: this.clock(now) })
    if (verdict.ok) settleQuota(this.use, { taken: 1, used: 1 })
    return verdict.ok
  }

  report(now: number): QuotaReport {
    this.#mark = demandAfter(this.#mark, { use: this.use, quota: QUOTA, now: this.clock(now) })
    const demand = demandShare(this.#mark, this.use, QUOTA)
    const { boot, started_at } = this
    return { boot, started_at, leaving: false, applied: this.held?.number ?? 0, demand: demand > 0 ? { [TENANT]: demand } : {} }
  }

  receive(grant: Parameters<typeof heldGrant>[1]['grant'], { requested, now }: { readonly requested: number; readonly now: number }): void {
    settleShare(this.use, this.quota(now), this.clock(now))
    const lasts_s = QUOTA_RULE.lasts_s * (this.#planted === 'gateways outlive their grants' ? 3 : 1)
    this.held = heldGrant(this.held, { grant, requested_at: this.clock(requested), lasts_s })
    this.heard_at = now
  }
}

type Message = { readonly at: number; readonly deliver: (now: number) => void }

class World {
  readonly #random: Random
  readonly #planted: Planted
  #gateways: SimulatedGateway[] = []
  #messages: Message[] = []
  #ledger: QuotaLedger = {}
  #skew = 0
  #born = 0
  #restarts = 0
  /** Of one bucket for everybody: how much more was admitted than it refills. */
  #level = 0
  #most = 0
  /** The largest sum of granted shares in force; the first share of a process has its own bound. */
  sum = 0

  constructor(seed: number, planted: Planted) {
    this.#random = draws(seed)
    this.#planted = planted
    const first = 1 + Math.floor(this.#random() * 4)
    for (let index = 0; index < first; index += 1) this.#join(0)
  }

  /** Admitted beyond a bucket of the whole limit. One request for each gateway, and a first share for each process, are the stated bound. */
  get excess(): number {
    return this.#most - QUOTA.requestsPerMinute - this.#born - (this.#restarts + this.#born) * (QUOTA.requestsPerMinute / 16)
  }

  run(): void {
    for (let step = 1; step <= STEPS; step += 1) {
      const now = step * STEP_S
      this.#happen(now)
      for (const message of this.#messages.filter(({ at }) => at <= now)) message.deliver(now)
      this.#messages = this.#messages.filter(({ at }) => at > now)
      if (step % 4 === 0) for (const gateway of this.#gateways) this.#sync(gateway, now)
      this.#traffic(now)
      const inForce = this.#gateways.filter(({ held, heard_at }) => held && shareIn(held, TENANT) > 0 && now - heard_at < QUOTA_RULE.gone_s)
      this.sum = Math.max(
        this.sum,
        inForce.reduce((sum, gateway) => sum + gateway.share(now), 0),
      )
    }
  }

  #join(now: number): void {
    this.#born += 1
    this.#gateways.push(new SimulatedGateway(`g${this.#born}`, { now, random: this.#random, planted: this.#planted }))
  }

  #happen(now: number): void {
    const random = this.#random
    const one = this.#gateways[Math.floor(random() * this.#gateways.length)]
    const chance = (perMinute: number): boolean => random() < (perMinute * STEP_S) / 60
    if (chance(1) && this.#gateways.length < 5) this.#join(now)
    if (one && chance(1)) one.cutOffUntil = now + random() * 240
    if (one && chance(0.5)) this.#gateways = this.#gateways.filter((gateway) => gateway !== one)
    if (one && chance(0.5)) {
      this.#restarts += 1
      const again = new SimulatedGateway(one.id, { now, random, planted: this.#planted })
      this.#gateways = this.#gateways.map((gateway) => (gateway === one ? again : gateway))
    }
    if (chance(1)) this.#skew = 20 * (random() - 0.5)
    // Traffic goes to some gateways for a while, far more than the limit.
    if (chance(6)) for (const gateway of this.#gateways) gateway.offers = random() < 0.5 ? 0 : Math.floor(random() * 12)
  }

  #sync(gateway: SimulatedGateway, now: number): void {
    const random = this.#random
    const report = gateway.report(now)
    if (now < gateway.cutOffUntil || random() < 0.1) return
    const answer = (at: number): void => {
      const { ledger, grant } = grantQuota(this.#ledger, { id: gateway.id, report, now: 1e6 + at + this.#skew })
      this.#ledger = this.#planted === 'older grants are forgotten unconfirmed' ? newestOnly(ledger) : ledger
      // A gateway waits five seconds for an answer.
      const arrives = at + random() * 2
      if (grant && random() > 0.2 && arrives - now < 5)
        this.#messages.push({ at: arrives, deliver: (then) => gateway.receive(grant, { requested: now, now: then }) })
    }
    const copies = random() < 0.1 ? 2 : 1
    for (let copy = 0; copy < copies; copy += 1) this.#messages.push({ at: now + random() * 3, deliver: answer })
  }

  #traffic(now: number): void {
    this.#level = Math.max(0, this.#level - (QUOTA.requestsPerMinute / 60) * STEP_S)
    for (const gateway of this.#gateways) for (let offer = 0; offer < gateway.offers; offer += 1) if (gateway.admits(now)) this.#level += 1
    this.#most = Math.max(this.#most, this.#level)
  }
}

const newestOnly = (ledger: QuotaLedger): QuotaLedger =>
  Object.fromEntries(Object.entries(ledger).map(([id, gateway]) => [id, { ...gateway, grants: gateway.grants.slice(-1) }]))

function brokenSeeds(planted: Planted, seeds: number): readonly number[] {
  return Array.from({ length: seeds }, (_, seed) => seed).filter((seed) => {
    const world = new World(seed, planted)
    world.run()
    return world.sum > WHOLE_SHARE || world.excess > 0
  })
}

describe('histories of ten minutes', () => {
  test('hold the limit', () => {
    expect(brokenSeeds('nothing', 100)).toEqual([])
  }, 60_000)

  test.each(['older grants are forgotten unconfirmed', 'gateways outlive their grants'] as const)(
    'find a planted bug: %s',
    (planted) => {
      expect(brokenSeeds(planted, 20).length).toBeGreaterThan(0)
    },
    60_000,
  )
})

test('a share that grows fills from then on, not for the time before', () => {
  const [small, large] = [sharedQuota(QUOTA, WHOLE_SHARE / 10), sharedQuota(QUOTA, WHOLE_SHARE)]
  const use = unusedQuota(small, 0)
  settleShare(use, small, 50)
  expect(takeQuota(use, large, { tokens: 1, now: 50 }).ok).toBe(true)
  expect(use.requests.level).toBe(59)
})

describe('a gateway that finds everything granted to others', () => {
  const grant = (number: number, share: number) => ({ number, share, tenants: {}, fallback: WHOLE_SHARE / 4 })
  const answer = (number: number, share: number) => ({ grant: grant(number, share), requested_at: number, lasts_s: 90 })

  test('keeps its first share until it is granted one', () => {
    const nothing = heldGrant(undefined, answer(1, 0))
    expect(heldShare(nothing, TENANT, 2)).toBe(WHOLE_SHARE / 16)
    const still = heldGrant(nothing, answer(2, 0))
    expect(heldShare(still, TENANT, 3)).toBe(WHOLE_SHARE / 16)
    const some = heldGrant(still, answer(3, 20_000))
    expect(heldShare(some, TENANT, 4)).toBe(20_000)
    expect(heldShare(heldGrant(some, answer(4, 0)), TENANT, 5)).toBe(0)
  })

  test('a share of nothing is asked for again in a second, a limit of nothing in a minute', () => {
    const none = sharedQuota(QUOTA, 0)
    expect(takeQuota(unusedQuota(none, 0), none, { tokens: 1, now: 0 })).toMatchObject({ ok: false, retryAfter_s: 1 })
    const closed = sharedQuota({ ...QUOTA, requestsPerMinute: 0 }, 0)
    expect(takeQuota(unusedQuota(closed, 0), closed, { tokens: 1, now: 0 })).toMatchObject({ ok: false, retryAfter_s: 60 })
  })
})

describe('without faults', () => {
  const RULE = QUOTA_RULE
  const report = (boot: string, applied: number, demand: QuotaReport['demand'] = {}): QuotaReport => ({
    boot,
    started_at: 0,
    leaving: false,
    applied,
    demand,
  })

  /** Rounds in which every gateway reports and gets its answer. */
  function settled(demands: Readonly<Record<string, QuotaReport['demand']>>, rounds = 5) {
    let ledger: QuotaLedger = {}
    const held: Record<string, ReturnType<typeof grantQuota>['grant']> = {}
    for (let round = 0; round < rounds; round += 1)
      for (const [id, demand] of Object.entries(demands)) {
        const answer = grantQuota(ledger, { id, report: report(id, held[id]?.number ?? 0, demand), now: round }, RULE)
        ledger = answer.ledger
        held[id] = answer.grant
      }
    return { ledger, held }
  }

  test('a gateway that is alone has everything at once', () => {
    expect(settled({ a: {} }, 1).held['a']).toEqual(expect.objectContaining({ share: WHOLE_SHARE, fallback: WHOLE_SHARE / 2, tenants: {} }))
  })

  test('shares follow demand, and the unrequested rest is divided equally', () => {
    const { held } = settled({ a: { t: 700_000 }, b: { t: 40_000 }, c: {} })
    const shares = ['a', 'b', 'c'].map((id) => held[id]?.tenants['t'] ?? 0)
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(WHOLE_SHARE)
    expect(shares[0]).toBeGreaterThan(870_000)
    expect(shares[1]).toBeGreaterThan(49_000)
    expect(['a', 'b', 'c'].map((id) => held[id]?.share)).toEqual([333_333, 333_333, 333_333])
  })

  test('who asks for more than there is gets an equal part of it', () => {
    const { held } = settled({ a: { t: 9_000_000 }, b: { t: 900_000 } })
    expect([held['a']?.tenants['t'], held['b']?.tenants['t']]).toEqual([500_000, 500_000])
  })

  test('names that every object has are names of tenants like others', () => {
    const { held } = settled({
      a: Object.fromEntries([
        ['__proto__', 500_000],
        ['constructor', 400_000],
      ]),
      b: {},
    })
    expect(Object.keys(held['a']?.tenants ?? {}).toSorted()).toEqual(['__proto__', 'constructor'])
  })

  test('the share of a dead gateway: its own until it expires, half of an equal one until it counts as gone, then free', () => {
    const { ledger } = settled({ a: {}, b: {} })
    const share = (now: number): number | undefined => grantQuota(ledger, { id: 'a', report: report('a', 99, {}), now }, RULE).grant?.share
    expect([share(60), share(130), share(1000)]).toEqual([500_000, 750_000, WHOLE_SHARE])
  })

  test('a restart gets the share of the process before; a late message of that one changes nothing', () => {
    const { ledger } = settled({ a: {}, b: {} })
    const again = grantQuota(ledger, { id: 'a', report: { ...report('a2', 0), started_at: 5 }, now: 6 }, RULE)
    expect(again.grant?.share).toBe(500_000)
    const late = grantQuota(again.ledger, { id: 'a', report: report('a', 3), now: 7 }, RULE)
    expect(late).toEqual({ ledger: again.ledger, grant: undefined })
  })

  test('who leaves leaves all of it', () => {
    const { ledger } = settled({ a: {}, b: {} })
    const left = grantQuota(ledger, { id: 'b', report: { ...report('b', 1), leaving: true }, now: 6 }, RULE)
    expect(grantQuota(left.ledger, { id: 'a', report: report('a', 99), now: 7 }, RULE).grant?.share).toBe(WHOLE_SHARE)
  })
})
