import { expect, test } from 'vitest'
import { mixedHash } from './hash.ts'
import { newScaleMemory, decideScale, type ScaleRule } from './autoscaler.ts'

const RULE: ScaleRule = {
  min: 0,
  max: 20,
  tokensPerSecond: 1000,
  covered: 0.9,
  coldStart_s: 60,
  drain_s: 10,
  downAfter_s: 300,
  idle_s: 600,
}

/** Replicas wanted at each look, every 10 s, each decision carried out at once. */
function replicasOverTime(seconds: number, arriving: (now: number) => number, { start = 1, queuedTokens = 0 } = {}): number[] {
  const memory = newScaleMemory(0)
  let replicas = start
  return Array.from({ length: Math.floor(seconds / 10) }, (_, look) => {
    const now = (look + 1) * 10
    const rate = arriving(now)
    replicas = decideScale(
      RULE,
      { now, replicas, arriving: rate, queuedTokens: look === 0 ? queuedTokens : 0, running: rate > 0 ? 1 : 0 },
      memory,
    ).replicas
    return replicas
  })
}

test('a steady load gets its replicas and keeps them', () => {
  const wanted = replicasOverTime(2000, () => 3900)
  expect(wanted.findIndex((each) => each >= 4)).toBeLessThan(RULE.coldStart_s / 10)
  expect(wanted.at(-1)).toBe(4)
  expect(Math.max(...wanted.slice(120))).toBe(4)
})

test('a rise is met before it comes: when a cold start ends, the replicas are there but for a tenth', () => {
  const load = (now: number): number => 500 + 20 * now
  const wanted = replicasOverTime(700, load)
  for (let look = 15; look < wanted.length; look += 1) {
    const needed = load((look + 1) * 10 + RULE.coldStart_s) / RULE.tokensPerSecond
    expect(wanted[look]).toBeGreaterThanOrEqual(Math.min(20, 0.9 * needed))
  }
})

test('a queue calls for more than the arrivals do, unless it is gone before another replica is warm', () => {
  expect(replicasOverTime(10, () => 500, { queuedTokens: 120_000 })[0]).toBe(3)
  expect(replicasOverTime(10, () => 500, { queuedTokens: 5_000 })[0]).toBe(1)
})

/** Requests of 500 tokens, each at a time of its own. */
function drawArrivals(seconds: number, rate: (second: number) => number): readonly number[] {
  const arrivals: number[] = []
  for (let at = 0; at < seconds; at -= Math.log((mixedHash(1, arrivals.length) + 1) / 2 ** 32) / rate(at)) arrivals.push(at)
  return arrivals
}

/** Replicas kept on average, looked at every so often. */
function meanReplicas(arrivals: readonly number[], every_s: number): number {
  let next = 0
  const seconds = arrivals.at(-1) ?? 0
  const memory = newScaleMemory(0)
  let [replicas, sum] = [2, 0]
  for (let now = every_s; now < seconds; now += every_s) {
    const before = next
    while ((arrivals[next] ?? Infinity) < now) next += 1
    const arriving = ((next - before) * 500) / every_s
    replicas = decideScale(RULE, { now, replicas, arriving, queuedTokens: 0, running: 1 }, memory).replicas
    sum += replicas * every_s
  }
  return sum / seconds
}

test('how often it looks changes little', () => {
  const steady = drawArrivals(4 * 3600, () => 4)
  const often = meanReplicas(steady, 0.5)
  expect(often).toBeGreaterThanOrEqual(2)
  expect(often).toBeLessThan(4)
  for (const every_s of [1, 5, 20]) expect(Math.abs(meanReplicas(steady, every_s) - often)).toBeLessThan(0.2 * often)
})

test('bursts that come again find the replicas kept, a smooth load of the same size has none for them', () => {
  const bursts = meanReplicas(
    drawArrivals(4 * 3600, (second) => (second % 120 < 12 ? 30 : 1.1)),
    1,
  )
  const smooth = meanReplicas(
    drawArrivals(4 * 3600, () => 4),
    1,
  )
  expect(bursts).toBeGreaterThan(smooth + 3)
})

test('a burst that comes again after longer than it takes to go down finds its replicas', () => {
  const wanted = replicasOverTime(8000, (now) => (now % 1000 < 80 ? 8000 : 500))
  expect(Math.min(...wanted.slice(400))).toBeGreaterThanOrEqual(7)
})

test('a burst that does not come again is forgotten', () => {
  const wanted = replicasOverTime(4000, (now) => (now < 200 ? 9000 : 100), { start: 9 })
  expect(wanted[30]).toBeGreaterThan(8)
  expect(wanted.at(-1)).toBe(1)
})

test('down only after less has been enough for long, and not below what was needed meanwhile', () => {
  const wanted = replicasOverTime(5000, (now) => (now < 600 ? 7800 : now < 750 ? 1000 : now < 760 ? 3000 : 1000))
  const at = (now: number): number => wanted[now / 10 - 1] ?? 0
  expect(at(600)).toBeGreaterThanOrEqual(8)
  expect(at(880)).toBeGreaterThanOrEqual(8)
  expect(at(3500)).toBeLessThan(8)
  expect(wanted.at(-1)).toBe(1)
})

test('without traffic nothing is started', () => expect(replicasOverTime(100, () => 0, { start: 0 })).toEqual(Array(10).fill(0)))

test('one large request to a deployment that slept starts one', () => {
  const memory = newScaleMemory(0)
  const asleep = decideScale(RULE, { now: 0, replicas: 0, arriving: 0, queuedTokens: 0, running: 0 }, memory)
  expect(asleep).toEqual({ replicas: 0, why: 'idle' })
  const woken = decideScale(RULE, { now: 1, replicas: 0, arriving: 40_000, queuedTokens: 0, running: 1 }, memory)
  expect(woken).toEqual({ replicas: 1, why: 'from-zero' })
})

test('the minimum is kept and given as the reason', () =>
  expect(decideScale({ ...RULE, min: 3 }, { now: 0, replicas: 1, arriving: 0, queuedTokens: 0, running: 0 }, newScaleMemory(0))).toEqual({
    replicas: 3,
    why: 'fewest',
  }))

test('to zero after idleness, from zero at the first request', () => {
  const wanted = replicasOverTime(3000, (now) => (now < 100 || now >= 2000 ? 100 : 0))
  const at = (now: number): number => wanted[now / 10 - 1] ?? 0
  expect(at(600)).toBe(1)
  expect(at(1900)).toBe(0)
  expect(at(2000)).toBe(1)
})
