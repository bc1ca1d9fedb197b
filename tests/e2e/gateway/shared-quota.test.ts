// Several gateways against the real API of a control plane: together they admit what one may.

import { WHOLE_SHARE } from '@ironlaw/contracts'
import { QuotaClient, type Gateway } from '@ironlaw/gateway'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS } from '../../../packages/effects/control/test/api-bed.ts'
import { startEngineStub } from '../../../packages/effects/gateway/test/engine-stub.ts'
import { chatBody, post, snapshotOf, startWithSnapshot } from '../../../packages/effects/gateway/test/setting.ts'

let bed: ApiBed
let url: string
const opened: (() => Promise<void>)[] = []

beforeAll(async () => {
  bed = await apiBed()
  url = await bed.api.listen({ host: '127.0.0.1', port: 0 })
}, BED_TIMEOUT_MS)
afterAll(() => bed.close())
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

const PER_MINUTE = 120

type SharedGateway = {
  readonly gateway: Gateway
  readonly client: QuotaClient
  readonly faults: readonly string[]
  readonly share: () => number
}

async function startSharing(id: string, engine: string, control = url): Promise<SharedGateway> {
  const gateway = await startWithSnapshot(snapshotOf([engine], { tenant: { requests_per_minute: PER_MINUTE } }), { dividedQuotas: true })
  opened.push(() => gateway.stop({ drain_s: 0 }))
  const faults: string[] = []
  let share = 0
  const client = new QuotaClient({
    url: `${control}/v1/gateways/${id}/quota`,
    token: () => bed.tokens.operator,
    boot: `${id} ${performance.now()}`,
    every_ms: 1000,
    report: gateway.quotaReport,
    onGrant: (answer) => {
      share = answer.grant.share
      gateway.applyGrant(answer)
    },
    onFault: (problem) => faults.push(problem),
  })
  return { gateway, client, faults, share: () => share }
}

/** How many of N requests are admitted. */
async function countAdmitted({ gateway }: SharedGateway, requests: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: requests }, async () => (await post(gateway, chatBody('tokens=1'))).status))
  return answers.filter((status) => status === 200).length
}

test('three gateways with one tenant of 120 requests a minute admit no more than one would', async () => {
  const stub = await startEngineStub()
  opened.push(stub.stop)
  const began = performance.now()
  const all = await Promise.all(['a', 'b', 'c'].map((id) => startSharing(id, stub.url)))
  for (let round = 0; round < 3; round += 1) for (const { client } of all) await client.request()
  // Rounded down to millionths each.
  const shared = all.reduce((sum, { share }) => sum + share(), 0)
  expect(shared).toBeGreaterThan(WHOLE_SHARE - all.length)
  expect(shared).toBeLessThanOrEqual(WHOLE_SHARE)
  let through = 0
  for (const each of all) through += await countAdmitted(each, PER_MINUTE)
  // The tenant moves to one gateway: its share follows within some reports, and fills with time only.
  for (let round = 0; round < 3; round += 1) for (const { client } of all) await client.request()
  for (const each of all) through += await countAdmitted(each, PER_MINUTE)
  const elapsed_min = (performance.now() - began) / 60_000
  // Buckets begin with a sixteenth, and keep of it what their share allows: not much in the first second.
  expect(through).toBeGreaterThanOrEqual(Math.floor(PER_MINUTE / 16))
  expect(through).toBeLessThanOrEqual(PER_MINUTE * (1 + elapsed_min) + 2 * all.length)
  expect(all.flatMap(({ faults }) => faults)).toEqual([])
  for (const { client } of all) await client.leave()
}, 60_000)

test('a gateway that the control plane has not answered yet admits a sixteenth; one of an older control plane everything', async () => {
  const stub = await startEngineStub()
  opened.push(stub.stop)
  const cutOff = await startSharing('d', stub.url, 'http://127.0.0.1:1')
  await cutOff.client.request()
  expect(cutOff.faults).toHaveLength(1)
  expect(await countAdmitted(cutOff, PER_MINUTE)).toBeLessThan(PER_MINUTE / 8)
  const older = await startSharing('e', stub.url, `${url}/nowhere`)
  await older.client.request()
  expect([older.faults, older.gateway.quotaReport().applied]).toEqual([[], 0])
}, 60_000)

test('only a gateway may report, and only what a report can be', async () => {
  const report = { boot: 'x', started_at: 0, applied: 0, demand: { one: 10_000 } }
  const call = (as: string, body: object) => bed.call({ method: 'POST', url: '/v1/gateways/f/quota', as, body })
  expect((await call(bed.tokens.viewer, report)).status).toBe(403)
  for (const bad of [{ demand: { one: -1 } }, { demand: { one: 1e12 } }, { applied: 1.5 }, { boot: '' }])
    expect((await call(bed.tokens.gateway, { ...report, ...bad })).status).toBe(400)
  const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`t${index}`, 1]))
  expect((await call(bed.tokens.gateway, { ...report, demand: many })).status).toBe(400)
  expect((await call(bed.tokens.gateway, report)).json).toMatchObject({ number: 1, lasts_s: 90, tenants: { one: expect.any(Number) } })
  expect((await call(bed.tokens.gateway, { ...report, leaving: true })).status).toBe(204)
})
