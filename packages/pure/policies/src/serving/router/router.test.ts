import { describe, expect, test } from 'vitest'
import { outstanding_s, predicted_s, type ReplicaLoad } from '../replica-load.ts'
import type { RouteView } from './route-view.ts'
import { type RouterName, ROUTERS } from './router.ts'

const speed = { prefill_s_per_token: 1e-4, step_s: 0.01, step_s_per_sequence: 1e-4, kvCapacity_tokens: 100_000 }
const load = (over: Partial<ReplicaLoad> = {}): ReplicaLoad => ({
  ready: true,
  running: 0,
  prefillTokens: 0,
  decodeTokens: 0,
  kvTokens: 0,
  speed,
  ...over,
})
const view = (replicas: readonly ReplicaLoad[], over: Partial<RouteView> = {}): RouteView => ({
  replicas,
  request: { promptTokens: 1000, outputTokens: 100 },
  cachedTokens: [],
  turn: 0,
  draw: () => 0,
  ...over,
})
const busy = load({ running: 10, prefillTokens: 5000, decodeTokens: 2000 })
const down = load({ ready: false })

describe('picks', () => {
  for (const [router, what, seen, picked] of [
    ['round-robin', 'in turn', view([load(), load(), load()], { turn: 4 }), 1],
    ['round-robin', 'past what is down', view([load(), down, load()], { turn: 1 }), 2],
    ['two-choices', 'the less busy of two', view([busy, load()], { draw: draws(0.1, 0.9) }), 1],
    ['two-choices', 'the one that is up', view([down, down, load()], { draw: () => 0.1 }), 2],
    ['least-tokens', 'least work', view([busy, load({ prefillTokens: 10 }), busy]), 1],
    ['least-tokens', 'equals in turn', view([load(), load(), load()], { turn: 2 }), 2],
    ['prefix-aware', 'the longest match', view([load(), busy, load()], { cachedTokens: [0, 900, 200] }), 1],
    ['prefix-aware', 'no match worth it', view([busy, load()], { cachedTokens: [90, 0] }), 1],
    ['prefix-aware', 'balance first', view([load({ running: 100, decodeTokens: 9 }), load()], { cachedTokens: [900, 0] }), 1],
    ['kv-aware', 'cache when load is equal', view([load(), load(), load()], { cachedTokens: [0, 0, 900] }), 2],
    ['kv-aware', 'load when it outweighs the cache', view([busy, load()], { cachedTokens: [900, 0] }), 1],
    [
      'kv-aware',
      'back to the conversation’s replica',
      view([load({ running: 1, decodeTokens: 400 }), load()], { cachedTokens: [990, 0] }),
      0,
    ],
    ['kv-aware', 'no replica too far ahead', view([load({ running: 1, decodeTokens: 9000 }), load()], { cachedTokens: [990, 0] }), 1],
    ['kv-aware', 'where its context fits', view([load({ kvTokens: 100_000 }), load({ running: 3 })]), 1],
    ['sticky', 'the same whatever the turn', view([load(), load(), load()], { request: session(7), turn: 1 }), 0],
  ] as const satisfies readonly (readonly [RouterName, string, RouteView, number])[])
    test(`${router}: ${what}`, () => expect(ROUTERS[router](seen)).toBe(picked))
})

function draws(...values: readonly number[]): () => number {
  let index = 0
  return () => values[index++ % values.length] ?? 0
}

function session(id: number): RouteView['request'] {
  return { promptTokens: 1, outputTokens: 1, session: id }
}

const NAMES: readonly RouterName[] = ['round-robin', 'two-choices', 'least-tokens', 'prefix-aware', 'kv-aware', 'sticky']

for (const name of NAMES) {
  test(`${name}: nothing ready is -1, nothing at all too`, () => {
    expect(ROUTERS[name](view([down, down]))).toBe(-1)
    expect(ROUTERS[name](view([]))).toBe(-1)
  })
}

test('when a replica goes, only its sessions move', () => {
  const replicas = [load(), load(), load(), load()]
  const stickyChoice = (id: number, all: readonly ReplicaLoad[]): number => ROUTERS.sticky(view(all, { request: session(id) }))
  const ids = Array.from({ length: 1000 }, (_, id) => id)
  const before = ids.map((id) => stickyChoice(id, replicas))
  const after = ids.map((id) => stickyChoice(id, replicas.with(2, down)))
  expect(ids.filter((id) => before[id] !== 2).every((id) => before[id] === after[id])).toBe(true)
  for (const replica of [0, 1, 2, 3]) expect(before.filter((one) => one === replica).length).toBeGreaterThan(200)
})

test('a prefix that everybody shares does not make one replica everybody’s', () => {
  const replicas = Array.from({ length: 8 }, () => load())
  const cachedTokens = [990, 0, 0, 0, 0, 0, 0, 0]
  for (let turn = 0; turn < 800; turn += 1) {
    const index = ROUTERS['kv-aware'](view(replicas, { turn, cachedTokens }))
    const picked = replicas[index]
    if (!picked) throw new Error('none picked')
    picked.running += 1
    picked.decodeTokens += 100
    picked.prefillTokens += 1000 - (cachedTokens[index] ?? 0)
  }
  const ahead = replicas.map(outstanding_s)
  const mean = ahead.reduce((sum, one) => sum + one, 0) / 8
  expect(Math.max(...ahead)).toBeLessThan(1.3 * mean)
  expect(replicas[0]?.running).toBeGreaterThan(100)
})

test('the cost is uncached prefill plus decode, in seconds', () => {
  const request = { promptTokens: 1000, outputTokens: 100 }
  expect(predicted_s(load(), request, 0)).toBeCloseTo(0.1 + 100 * 0.0101)
  expect(predicted_s(load(), request, 1000)).toBeCloseTo(100 * 0.0101)
})
