// Limits by token and by address for every operation, and addresses that are locked out.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS } from '../../test/api-bed.ts'
import { LockOut } from './api-limits.ts'

/** So slow that nothing comes back during a test. */
const SLOW = 1e-3
let bed: ApiBed
beforeAll(async () => {
  bed = await apiBed({
    limits: { token: { perSecond: SLOW, burst: 5 }, address: { perSecond: SLOW, burst: 12 }, open: { perSecond: SLOW, burst: 3 } },
  })
}, BED_TIMEOUT_MS)
afterAll(() => bed.close())

const ask = async (token: string | undefined, remoteAddress: string, url = '/v1/runs') => {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const { statusCode, headers: answered, body } = await bed.api.inject({ method: 'GET', url, headers, remoteAddress })
  return { status: statusCode, retryAfter: Number(answered['retry-after']), body }
}
const statuses = async (count: number, one: () => ReturnType<typeof ask>): Promise<readonly number[]> => {
  const all: number[] = []
  for (let index = 0; index < count; index += 1) all.push((await one()).status)
  return all
}

test('a token has its own limit, for what it may not do as well, from all addresses together', async () => {
  const { viewer } = bed.tokens
  expect(await statuses(3, () => ask(viewer, '192.0.2.1'))).toEqual([200, 200, 200])
  expect(await statuses(2, () => ask(viewer, '192.0.2.2', '/v1/tokens'))).toEqual([403, 403])
  const over = await ask(viewer, '192.0.2.3')
  expect([over.status, JSON.parse(over.body).code]).toEqual([429, 'IL_LIMIT'])
  expect(over.body).toContain('requests with one token')
  expect(over.retryAfter).toBeGreaterThan(0)
})

test('an address has one for all its tokens; other addresses go on', async () => {
  const { member, operator, gateway } = bed.tokens
  for (const token of [member, operator]) expect(await statuses(5, () => ask(token, '192.0.2.9'))).not.toContain(429)
  expect(await statuses(3, () => ask(gateway, '192.0.2.9'))).toEqual([403, 403, 429])
  expect((await ask(gateway, '192.0.2.10')).status).toBe(403)
})

test('without a token the limit is lower, and health is always answered', async () => {
  expect(await statuses(4, () => ask(undefined, '192.0.2.20'))).toEqual([401, 401, 401, 429])
  expect((await ask(undefined, '192.0.2.20', '/healthz')).status).toBe(200)
  expect((await ask(undefined, '192.0.2.21')).status).toBe(401)
})

test(
  'tokens of runs are limited by what they report, not by this',
  async () => {
    const own = await apiBed({
      database: bed.database,
      limits: { token: { perSecond: 1, burst: 100 }, address: { perSecond: SLOW, burst: 20 }, open: { perSecond: 1, burst: 1 } },
    })
    const { id, token } = await own.newRun()
    const announcement = { allocation: 1, index: 0, node: 'n1', host: 'n1', incarnation: 'i' }
    const announce = () => own.call({ method: 'POST', url: `/v1/runs/${id}/agents`, as: token, body: announcement })
    for (let index = 0; index < 40; index += 1) expect((await announce()).status).not.toBe(429)
    await own.api.close()
  },
  BED_TIMEOUT_MS,
)

test('an address that used up its failures is locked out for longer each time, and forgiven after an hour', () => {
  let now = 0
  const lock = new LockOut({ perSecond: 1, burst: 3 }, () => now)
  const useUp = (): number => {
    for (let index = 0; index < 1000; index += 1) {
      if (lock.wait_s('a') > 0) return lock.wait_s('a')
      lock.take('a')
    }
    return 0
  }
  const waits: number[] = []
  for (let round = 0; round < 9; round += 1) {
    const wait_s = useUp()
    waits.push(wait_s)
    now += wait_s
  }
  expect(waits).toEqual([10, 20, 40, 80, 160, 320, 640, 900, 900])
  expect(lock.wait_s('b')).toBe(0)
  now += 3601
  expect(useUp()).toBe(10)
})
