// What answers tell a browser, and that pages of other sites are told nothing.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS } from '../../test/api-bed.ts'

let bed: ApiBed
beforeAll(async () => {
  bed = await apiBed()
}, BED_TIMEOUT_MS)
afterAll(() => bed.close())

const ORIGIN = 'https://evil.example'

test.each([
  ['with a token', true, 200],
  ['without one', false, 401],
] as const)('a page of another site learns nothing %s', async (_, hasToken, status) => {
  const asking = { method: 'GET', url: '/v1/runs', headers: { origin: ORIGIN } } as const
  const answer = await bed.call(hasToken ? { ...asking, as: bed.tokens.viewer } : asking)
  expect(answer.status).toBe(status)
  expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
  expect(answer.headers).toMatchObject({
    'content-security-policy': expect.stringContaining("default-src 'none'"),
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  })
  expect(answer.headers['strict-transport-security']).toBeUndefined()
})

test('a preflight is refused', async () => {
  const { statusCode, headers } = await bed.api.inject({
    method: 'OPTIONS',
    url: '/v1/runs',
    headers: { origin: ORIGIN, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
  })
  expect(statusCode).toBe(401)
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
})
