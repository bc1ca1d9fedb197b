// What a client sees when a gateway has a share of its tenant's limits.

import type { Gateway } from '../index.ts'
import { afterEach, expect, test } from 'vitest'
import { startEngineStub } from '../../test/engine-stub.ts'
import { chatBody, post, snapshotOf, startWithSnapshot } from '../../test/setting.ts'

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

async function startSharing(tenant: object, dividedQuotas = true): Promise<Gateway> {
  const engine = await startEngineStub()
  opened.push(engine.stop)
  const gateway = await startWithSnapshot(snapshotOf([engine.url], { tenant }), { dividedQuotas })
  opened.push(() => gateway.stop({ drain_s: 0 }))
  return gateway
}

const grant = (gateway: Gateway, number: number, share: number): void =>
  gateway.applyGrant({
    grant: { number, share, tenants: {}, fallback: 500_000 },
    requested_at: performance.now() / 1000,
    lasts_s: 90,
  })

const rates = ({ headers }: Response): readonly (string | null)[] =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}-requests`))

test('headers and refusals are of the share, not of the whole limit', async () => {
  const gateway = await startSharing({ requests_per_minute: 32 })
  const first = await post(gateway, chatBody('tokens=1'))
  expect(rates(first)).toEqual(['2', '1', expect.stringMatching(/^(?:30|29\.\d+)s$/)])
  await post(gateway, chatBody('tokens=1'))
  const refused = await post(gateway, chatBody('tokens=1'))
  expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining("this gateway's share of the limit of requests")])
})

test('undivided limits are named as such, and a limit of nothing has numbers too', async () => {
  const gateway = await startSharing({ requests_per_minute: 0 }, false)
  const refused = await post(gateway, chatBody('tokens=1'))
  expect([refused.status, refused.headers.get('retry-after'), ...rates(refused)]).toEqual([429, '60', '0', '0', '60s'])
  expect(await refused.text()).toContain('"the limit of requests for tenant one is reached"')
})

test('granted nothing yet: a sixteenth; granted nothing any more: try again in a second', async () => {
  const gateway = await startSharing({ requests_per_minute: 32 })
  grant(gateway, 1, 0)
  expect((await post(gateway, chatBody('tokens=1'))).status).toBe(200)
  grant(gateway, 2, 1_000_000)
  grant(gateway, 3, 0)
  const refused = await post(gateway, chatBody('tokens=1'))
  expect([refused.status, refused.headers.get('retry-after'), ...rates(refused)]).toEqual([429, '1', '0', '0', '1s'])
})
