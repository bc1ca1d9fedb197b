import { describe, expect, test } from 'vitest'
import { autoscaleDecision, type AutoscaleState } from './autoscale.ts'
import type { GatewayReport } from './increments.ts'
import { readMemory } from './memory.ts'

const RULE = { min: 1, max: 20, tokens_per_s: 1000, covered: 0.9, cold_start_s: 60, drain_s: 10, down_after_s: 300, idle_s: 900 }
const REPLICAS = 8
/** Tokens of a request, before any was answered. */
const TOKENS = 500

const gatewayReport = (id: string, seen_at: number, arrived: number): GatewayReport => ({
  id,
  seen_at,
  body: { boot: 'b', version: 1, leaving: false, replicas: [], pools: [{ name: 'chat@1', arrived, queued: 0 }] },
})

const scaleInputs = (now: number, gateways: readonly GatewayReport[]) => ({
  now,
  rule: RULE,
  gateways,
  replicas: REPLICAS,
})

/** A steady load that eight replicas just sustain, reported by these gateways for this long. */
function steady(
  seconds: number,
  gateways: readonly string[],
): { readonly scaling: AutoscaleState; readonly arrived: (now: number) => number } {
  const arrived = (now: number): number => Math.round((0.9 * REPLICAS * RULE.tokens_per_s * now) / TOKENS / gateways.length)
  let scaling: AutoscaleState | undefined
  for (let now = 0; now <= seconds; now += 1)
    scaling = autoscaleDecision(
      scaling,
      scaleInputs(
        now,
        gateways.map((id) => gatewayReport(id, now - 0.3, arrived(now - 0.3))),
      ),
    )[1]
  // As it is kept between two looks.
  const kept = readMemory(JSON.stringify({ silent: {}, scaling })).scaling
  if (!kept) throw new Error('nothing is remembered')
  return { scaling: kept, arrived }
}

describe('a missing report does not count as no load', () => {
  for (const away_s of [120, 1200, 7200])
    test(`the control plane was away for ${away_s} s under a steady load`, () => {
      const { scaling, arrived } = steady(600, ['g1'])
      const back = 600 + away_s
      // The first look comes before the gateway has spoken.
      const [first, unheard] = autoscaleDecision(scaling, scaleInputs(back, away_s > 3600 ? [] : [gatewayReport('g1', 600, arrived(600))]))
      expect(first).toEqual({ replicas: REPLICAS, why: 'steady' })
      expect(unheard).toBe(scaling)
      const [second] = autoscaleDecision(unheard, scaleInputs(back + 2, [gatewayReport('g1', back + 1, arrived(back + 1))]))
      expect(second.replicas).toBe(REPLICAS)
    })

  test('a look between two reports waits for the next', () => {
    const { scaling, arrived } = steady(600, ['g1', 'g2'])
    const gateways = [gatewayReport('g1', 600.2, arrived(600.2)), gatewayReport('g2', 599.7, arrived(599.7))]
    expect(autoscaleDecision(scaling, scaleInputs(600.5, gateways))).toEqual([{ replicas: REPLICAS, why: 'steady' }, scaling])
  })

  test('one of two gateways is silent for a minute and comes back', () => {
    const { scaling, arrived } = steady(600, ['g1', 'g2'])
    let memory: AutoscaleState | undefined = scaling
    for (let now = 601; now <= 660; now += 1) {
      const [decision, after] = autoscaleDecision(
        memory,
        scaleInputs(now, [gatewayReport('g1', now, arrived(now)), gatewayReport('g2', 600, arrived(600))]),
      )
      expect(decision.replicas).toBe(REPLICAS)
      memory = after
    }
    const [back] = autoscaleDecision(
      memory,
      scaleInputs(662, [gatewayReport('g1', 662, arrived(662)), gatewayReport('g2', 661, arrived(661))]),
    )
    expect(back.replicas).toBe(REPLICAS)
  })

  test('a new gateway does not add everything it ever counted', () => {
    const { scaling, arrived } = steady(600, ['g1'])
    const [decision] = autoscaleDecision(scaling, scaleInputs(602, [gatewayReport('g1', 602, arrived(602)), gatewayReport('g9', 602, 1e9)]))
    expect(decision.replicas).toBe(REPLICAS)
  })

  test('one that began anew is counted from its beginning', () => {
    const { scaling, arrived } = steady(600, ['g1'])
    const anew = gatewayReport('g1', 610, arrived(10))
    const [decision] = autoscaleDecision(scaling, scaleInputs(610, [{ ...anew, body: { ...anew.body, boot: 'c' } }]))
    expect(decision).toEqual({ replicas: REPLICAS, why: 'steady' })
  })
})

test('a queue at a gateway that is gone calls for nothing', () => {
  const { scaling, arrived } = steady(600, ['g1'])
  const gone = gatewayReport('g2', 500, 0)
  const stuck = { ...gone, body: { ...gone.body, pools: [{ name: 'chat@1', arrived: 0, queued: 100_000 }] } }
  const [decision] = autoscaleDecision(scaling, scaleInputs(601, [gatewayReport('g1', 601, arrived(601)), stuck]))
  expect(decision.replicas).toBe(REPLICAS)
})

test('a gateway that claims to have counted more than there can be changes the number within its bounds', () => {
  const { scaling, arrived } = steady(60, ['g1'])
  const huge = 1e308
  const times = { count: huge, log_sum: huge }
  const claim = { pool: 'chat@1', listed: true, running: huge, answers: huge, errors: huge, tokens: huge, ttft: times, tpot: times }
  const falseReport = (now: number): GatewayReport => {
    const { body, ...rest } = gatewayReport('g2', now, huge)
    return { ...rest, body: { ...body, replicas: ['a', 'b'].map((id) => ({ ...claim, id })) } }
  }
  let known: AutoscaleState | undefined = scaling
  for (const now of [61, 62, 63]) {
    const [{ replicas }, next] = autoscaleDecision(known, scaleInputs(now, [gatewayReport('g1', now, arrived(now)), falseReport(now)]))
    expect(replicas).toBeGreaterThanOrEqual(RULE.min)
    expect(replicas).toBeLessThanOrEqual(RULE.max)
    known = readMemory(JSON.stringify({ silent: {}, scaling: next })).scaling
  }
})
