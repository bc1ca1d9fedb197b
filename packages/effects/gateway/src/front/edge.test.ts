import type { Budgets } from '../index.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { type EngineStub, startEngineStub } from '../../test/engine-stub.ts'
import { chatBody, post, snapshotOf, startWithSnapshot, until } from '../../test/setting.ts'

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

const throwRangeError = (): never => {
  throw new RangeError('Maximum call stack size exceeded')
}

async function startSetting(budgets: Budgets) {
  const engine = await startEngineStub()
  opened.push(engine.stop)
  const lines: string[] = []
  const snapshot = snapshotOf([engine.url], { tenant: { budget: 'b', concurrency: 1 }, pool: { max_queued: 2 } })
  const gateway = await startWithSnapshot(snapshot, { budgets, onUnexpected: (line) => lines.push(line) })
  opened.push(() => gateway.stop({ drain_s: 0 }))
  return { engine, gateway, lines }
}

/** Nothing is left behind: the tenant's only place is free, and so is the replica. */
async function expectFree({
  engine,
  gateway,
}: {
  readonly engine: EngineStub
  readonly gateway: Awaited<ReturnType<typeof startWithSnapshot>>
}) {
  await until(() => gateway.running() === 0)
  await until(() => engine.served.running === 0)
  expect(gateway.totals().replicas.map(({ running }) => running)).toEqual([0])
}

describe('what throws while a request is served is the answer to that request', () => {
  test('before it is sent: 500 in the form of an error of OpenAI, counted, reported once a second', async () => {
    const all = await startSetting({ reserve: throwRangeError })
    for (let round = 1; round <= 3; round += 1) {
      const answer = await post(all.gateway, chatBody('tokens=1'))
      expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([500, 'false'])
      expect(await answer.json()).toEqual({
        error: { message: expect.stringContaining('recorded'), type: 'server_error', param: null, code: 'internal_error' },
      })
      expect(all.gateway.metrics.counterValue('unexpected')).toBe(round)
    }
    expect(all.lines.length).toBeLessThan(3)
    expect(all.lines[0]).toContain('RangeError')
    await expectFree(all)
  })

  test('in a promise that is rejected later', async () => {
    const all = await startSetting({ reserve: () => Promise.reject(new Error('away')) })
    expect((await post(all.gateway, chatBody('tokens=1'))).status).toBe(500)
    expect(all.gateway.metrics.counterValue('unexpected')).toBe(1)
    await expectFree(all)
  })

  test('in the callback of an engine, after the answer: the client has it, and what the request held is given back', async () => {
    const all = await startSetting({ reserve: () => ({ settle: throwRangeError }) })
    for (const stream of [false, true, false]) {
      const answer = await post(all.gateway, { ...chatBody('tokens=3'), stream })
      expect(answer.status).toBe(200)
      expect(await answer.text()).toContain('é')
    }
    expect(all.gateway.metrics.counterValue('unexpected')).toBe(3)
    await expectFree(all)
  })

  test('in a timer: a deadline that ends a request whose reservation throws', async () => {
    const all = await startSetting({ reserve: () => ({ settle: throwRangeError }) })
    const answer = await post(all.gateway, chatBody('first=5000'), { headers: { 'x-request-timeout-s': '0.2' } })
    expect(answer.status).toBe(504)
    await expectFree(all)
    expect((await post(all.gateway, chatBody('tokens=1'))).status).toBe(200)
  })

  test('when its client leaves', async () => {
    const all = await startSetting({ reserve: () => ({ settle: throwRangeError }) })
    const leaving = new AbortController()
    const answer = post(all.gateway, { ...chatBody('tokens=50 pace=20'), stream: true }, { signal: leaving.signal })
    await (await answer).body?.getReader().read()
    leaving.abort()
    await expectFree(all)
    expect(all.gateway.metrics.counterValue('unexpected')).toBe(1)
  })
})
