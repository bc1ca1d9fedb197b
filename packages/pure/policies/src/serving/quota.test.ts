import { expect, test } from 'vitest'
import { endRequest, type Quota, settleQuota, takeQuota, unusedQuota, takeRequest } from './quota.ts'

const QUOTA: Quota = { requestsPerMinute: 60, tokensPerMinute: 6000, concurrency: 3, kvTokens: 4000 }

for (const [what, before, asked, verdict] of [
  ['within', [], 1000, { ok: true }],
  ['requests', Array.from({ length: 60 }, () => [1, 0] as const), 1, { ok: false, limit: 'requests', retryAfter_s: 1 }],
  ['tokens', [[5500, 5500]], 1000, { ok: false, limit: 'tokens', retryAfter_s: 5 }],
  ['what was not used comes back', [[5500, 100]], 1000, { ok: true }],
  ['what was used beyond is owed', [[100, 6500]], 1000, { ok: false, limit: 'tokens', retryAfter_s: 15 }],
  ['larger than the bucket passes when it is full', [], 9000, { ok: true }],
] as const satisfies readonly (readonly [string, readonly (readonly [number, number])[], number, object])[])
  test(`${what}`, () => {
    const use = unusedQuota(QUOTA, 0)
    for (const [taken, used] of before) {
      expect(takeQuota(use, QUOTA, { tokens: taken, now: 0 }).ok).toBe(true)
      settleQuota(use, { taken, used })
    }
    expect(takeQuota(use, QUOTA, { tokens: asked, now: 0 })).toEqual(verdict)
  })

test('a limit of nothing admits nothing', () => {
  for (const none of [{ requestsPerMinute: 0 }, { tokensPerMinute: 0 }, { concurrency: 0 }]) {
    const quota = { ...QUOTA, ...none }
    expect(takeQuota(unusedQuota(quota, 0), quota, { tokens: 1, now: 100 }).ok).toBe(false)
  }
})

test('at once: requests, and tokens of context', () => {
  const use = unusedQuota(QUOTA, 0)
  const take = (tokens: number) => takeQuota(use, QUOTA, { tokens, now: 0 })
  expect(take(3000).ok).toBe(true)
  expect(take(2000)).toMatchObject({ limit: 'kv' })
  expect([take(1).ok, take(1).ok]).toEqual([true, true])
  expect(take(1)).toMatchObject({ limit: 'concurrency' })
  settleQuota(use, { taken: 1, used: 1 })
  expect(take(1).ok).toBe(true)
})

test('a refusal takes nothing, and time gives back', () => {
  const use = unusedQuota(QUOTA, 0)
  takeQuota(use, QUOTA, { tokens: 6000, now: 0 })
  settleQuota(use, { taken: 6000, used: 6000 })
  for (let attempt = 0; attempt < 100; attempt += 1) expect(takeQuota(use, QUOTA, { tokens: 100, now: 0 }).ok).toBe(false)
  expect(takeQuota(use, QUOTA, { tokens: 100, now: 0.9 }).ok).toBe(false)
  expect(takeQuota(use, QUOTA, { tokens: 100, now: 1 }).ok).toBe(true)
})

test('a request counts from its head on: the next is refused before anything of it is read', () => {
  const use = unusedQuota({ ...QUOTA, concurrency: 1 }, 0)
  expect(takeRequest(use, { ...QUOTA, concurrency: 1 }, 0).ok).toBe(true)
  expect(takeRequest(use, { ...QUOTA, concurrency: 1 }, 0)).toMatchObject({ ok: false, limit: 'concurrency' })
  endRequest(use)
  expect(takeRequest(use, { ...QUOTA, concurrency: 1 }, 0).ok).toBe(true)
})

test('a request whose tokens are refused does not count as one', () => {
  const use = unusedQuota(QUOTA, 0)
  const before = use.requests.level
  takeQuota(use, QUOTA, { tokens: QUOTA.tokensPerMinute, now: 0 })
  expect(takeQuota(use, QUOTA, { tokens: QUOTA.tokensPerMinute, now: 0 })).toMatchObject({ ok: false, limit: 'tokens' })
  expect([use.requests.level, use.running]).toEqual([before - 1, 1])
})
