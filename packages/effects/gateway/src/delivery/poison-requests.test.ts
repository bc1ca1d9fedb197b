import { createServer } from 'node:http'
import type { Gateway } from '../index.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { type EngineStub, startEngineStub } from '../../test/engine-stub.ts'
import { chatBody, OTHER_KEY, post, snapshotOf, startWithSnapshot } from '../../test/setting.ts'

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

async function startEngines(count: number): Promise<EngineStub[]> {
  const stubs = await Promise.all(Array.from({ length: count }, () => startEngineStub()))
  opened.push(...stubs.map(({ stop }) => stop))
  return stubs
}

async function startTestGateway(...parts: Parameters<typeof startWithSnapshot>): Promise<Gateway> {
  const gateway = await startWithSnapshot(...parts)
  opened.push(() => gateway.stop({ drain_s: 0 }))
  return gateway
}

/** A replica that answers everything with 500. */
async function startSickEngine(): Promise<{ readonly url: string; readonly seen: () => number }> {
  let seen = 0
  const server = createServer((_, response) => {
    seen += 1
    response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":{"message":"out of memory"}}')
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  opened.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, seen: () => seen }
}

const urls = (stubs: readonly EngineStub[]): string[] => stubs.map(({ url }) => url)
const runMany = <T>(count: number, one: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: count }, one))
const servedRequests = (stubs: readonly EngineStub[]): number => stubs.reduce((sum, { served: { requests } }) => sum + requests, 0)
const errorCount = (gateway: Gateway, pool = 'main'): number =>
  gateway
    .totals()
    .replicas.filter((replica) => replica.pool === pool)
    .reduce((sum, replica) => sum + replica.errors, 0)

async function openBreakers({ adminUrl }: Gateway): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text()
  return [...text.matchAll(/breaker_open\{[^}]*\} 1/g)].length
}

describe('a request that fails everywhere is its own fault', () => {
  test('a burst of requests that every engine answers with 500 opens no breaker, and no other client is refused', async () => {
    const stubs = await startEngines(3)
    const gateway = await startTestGateway(snapshotOf(urls(stubs)))
    const poison = runMany(60, () => post(gateway, chatBody('status=500')))
    const others = await runMany(60, () => post(gateway, chatBody('tokens=1'), { key: OTHER_KEY }))
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set((await poison).map(({ status }) => status))).toEqual(new Set([502]))
    expect(await openBreakers(gateway)).toBe(0)
    // Two replicas see one of them at the most, and only while the tenant's own retries last.
    expect(servedRequests(stubs)).toBeLessThanOrEqual(60 + 60 + 16)
    expect(gateway.metrics.counterValue('requests_at_fault')).toBeGreaterThan(0)
    expect(errorCount(gateway)).toBeLessThanOrEqual(2)
  })

  test('what the client did wrong is not tried again, opens no breaker and counts against no canary', async () => {
    const [main, canary] = [await startEngines(2), await startEngines(1)]
    const gateway = await startTestGateway(
      snapshotOf(urls(main), {
        pools: { canary: { replicas: urls(canary).map((url) => ({ id: 'c', url })) } },
        model: {
          targets: [
            { pool: 'main', weight: 1 },
            { pool: 'canary', weight: 1 },
          ],
        },
      }),
    )
    for (const status of [400, 404, 408, 409, 413, 422, 425]) {
      const answers = await runMany(10, () => post(gateway, chatBody(`status=${status}`)))
      expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([status]))
    }
    expect(servedRequests([...main, ...canary])).toBe(70)
    expect([errorCount(gateway), errorCount(gateway, 'canary'), await openBreakers(gateway)]).toEqual([0, 0, 0])
  })

  test('a canary is not blamed for requests that fail on both sides, and is for those that the others answer', async () => {
    const main = await startEngines(1)
    const bad = await startSickEngine()
    const over = (replica: string) => ({
      pools: { canary: { replicas: [{ id: 'c', url: replica }] } },
      model: {
        targets: [
          { pool: 'main', weight: 1 },
          { pool: 'canary', weight: 1 },
        ],
      },
    })
    const [healthy] = await startEngines(1)
    const fair = await startTestGateway(snapshotOf(urls(main), over(healthy?.url ?? '')))
    await runMany(40, () => post(fair, chatBody('status=500')))
    expect(errorCount(fair, 'canary') + errorCount(fair)).toBeLessThanOrEqual(2)
    const strict = await startTestGateway(snapshotOf(urls(main), over(bad.url)))
    for (let round = 0; round < 20; round += 1) expect((await post(strict, chatBody('tokens=1'))).status).toBe(200)
    expect(errorCount(strict, 'canary')).toBeGreaterThanOrEqual(5)
    expect(errorCount(strict)).toBe(0)
  })

  test('a replica that fails what others answer is soon left alone, at no cost to clients', async () => {
    const [good] = await startEngines(1)
    const bad = await startSickEngine()
    const gateway = await startTestGateway(snapshotOf([bad.url, good?.url ?? ''], { pool: { router: 'round-robin' } }))
    for (let round = 0; round < 40; round += 1) expect((await post(gateway, chatBody('tokens=1'))).status).toBe(200)
    expect(bad.seen()).toBeLessThan(12)
    expect(await openBreakers(gateway)).toBe(1)
  })

  test('one tenant cannot use up the retries of another', async () => {
    const stubs = await startEngines(2)
    const gateway = await startTestGateway(snapshotOf(urls(stubs), { pool: { router: 'round-robin' } }))
    await runMany(100, () => post(gateway, chatBody('status=500')))
    await stubs[0]?.stop()
    const answers: number[] = []
    for (let round = 0; round < 10; round += 1) answers.push((await post(gateway, chatBody('tokens=1'), { key: OTHER_KEY })).status)
    expect(new Set(answers)).toEqual(new Set([200]))
  })
})
