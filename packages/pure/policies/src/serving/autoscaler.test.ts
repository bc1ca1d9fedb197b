import { expect, test } from 'vitest'
import { newScaleMemory, scale, type ScaleRule } from './autoscaler.ts'

const RULE: ScaleRule = {
  min: 0,
  max: 20,
  tokensPerSecond: 1000,
  utilisation: 0.8,
  coldStart_s: 60,
  drain_s: 30,
  downAfter_s: 300,
  idle_s: 600,
}

/** Replicas wanted at each look, every 10 s, each decision carried out at once. */
function played(seconds: number, arriving: (now: number) => number, { start = 1, queuedTokens = 0 } = {}): number[] {
  const memory = newScaleMemory(0)
  let replicas = start
  return Array.from({ length: Math.floor(seconds / 10) }, (_, look) => {
    const now = (look + 1) * 10
    const rate = arriving(now)
    replicas = scale(
      RULE,
      { now, replicas, arriving: rate, queuedTokens: look === 0 ? queuedTokens : 0, running: rate > 0 ? 1 : 0 },
      memory,
    ).replicas
    return replicas
  })
}

test('a steady load gets its replicas and keeps them', () => {
  const wanted = played(2000, () => 4000)
  expect(wanted[0]).toBe(5)
  expect(wanted.at(-1)).toBe(5)
  expect(Math.max(...wanted.slice(60))).toBe(5)
})

test('a rise is met before it comes: when a cold start ends, the replicas are there', () => {
  const load = (now: number): number => 500 + 20 * now
  const wanted = played(700, load)
  for (let look = 15; look < wanted.length; look += 1) {
    const needed = load((look + 1) * 10 + RULE.coldStart_s) / RULE.tokensPerSecond
    expect(wanted[look]).toBeGreaterThanOrEqual(Math.min(20, Math.ceil(needed)))
  }
})

test('a queue calls for more than the arrivals do', () => {
  expect(played(10, () => 500, { queuedTokens: 90_000 })[0]).toBe(4)
})

test('down only after less has been enough for long, and not below what was needed meanwhile', () => {
  const wanted = played(1500, (now) => (now < 600 ? 8000 : now < 750 ? 1000 : now < 760 ? 3000 : 1000))
  const at = (now: number): number => wanted[now / 10 - 1] ?? 0
  expect(at(600)).toBe(10)
  expect(at(880)).toBe(10)
  expect(at(1000)).toBeLessThan(10)
  expect(wanted.at(-1)).toBe(2)
})

test('to zero after idleness, from zero at the first request', () => {
  const wanted = played(3000, (now) => (now < 100 || now >= 2000 ? 100 : 0))
  const at = (now: number): number => wanted[now / 10 - 1] ?? 0
  expect(at(600)).toBe(1)
  expect(at(1900)).toBe(0)
  expect(at(2000)).toBe(1)
})
