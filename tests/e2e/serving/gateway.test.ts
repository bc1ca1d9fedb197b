// What a gateway does for the deployments behind it: a canary that fails costs no client an answer, waiting requests follow the
// replicas, and totals count all of it.

import { afterEach, expect, test } from 'vitest'
import type { Gateway } from '@ironlaw/gateway'
import { type EngineStub, startEngineStub } from '../../../packages/effects/gateway/test/engine-stub.ts'
import { chatBody, openAiClient, post, snapshotOf, startWithSnapshot, until } from '../../../packages/effects/gateway/test/setting.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop()
})

async function startEngine(): Promise<EngineStub> {
  const stub = await startEngineStub()
  stops.push(stub.stop)
  return stub
}

async function startTestGateway(...given: Parameters<typeof snapshotOf>): Promise<Gateway> {
  const gateway = await startWithSnapshot(snapshotOf(...given))
  stops.push(() => gateway.stop({ drain_s: 0 }))
  return gateway
}

const total = (gateway: Gateway, id: string) => gateway.totals().replicas.find((replica) => replica.id === id)

test('a canary that fails costs no client an answer, and its errors are counted', async () => {
  const good = await startEngine()
  const canary = { replicas: [{ id: 'bad', url: 'http://127.0.0.1:9' }] }
  const targets = [
    { pool: 'main', weight: 0.5 },
    { pool: 'canary', weight: 0.5 },
  ]
  const gateway = await startTestGateway([good.url], { model: { targets }, pools: { canary } })
  const statuses = await Promise.all(Array.from({ length: 30 }, async () => (await post(gateway, chatBody('tokens=3'))).status))
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(total(gateway, 'bad')).toMatchObject({ pool: 'canary', listed: true, answers: 0 })
  expect(total(gateway, 'bad')?.errors).toBeGreaterThan(0)
  expect(total(gateway, 'r0')).toMatchObject({ answers: 30, errors: 0, running: 0, ttft: { count: 30 } })
})

test('what waits for a replica starts when one comes, and goes elsewhere when its pool is no more', async () => {
  const gateway = await startTestGateway([], { version: 1 })
  const waiting = openAiClient(gateway).chat.completions.create(chatBody('tokens=3'))
  await until(() => gateway.totals().pools[0]?.queued === 1)
  const first = await startEngine()
  gateway.apply(snapshotOf([first.url], { version: 2 }))
  expect((await waiting).usage?.completion_tokens).toBe(3)

  gateway.apply(snapshotOf([], { version: 3 }))
  const moving = openAiClient(gateway).chat.completions.create(chatBody('tokens=4'))
  await until(() => gateway.totals().pools[0]?.queued === 1)
  const { pools, ...rest } = snapshotOf([first.url], {
    version: 4,
    model: { targets: [{ pool: 'next' }] },
    pools: { next: { replicas: [] } },
  })
  const next = { ...pools['next']!, replicas: pools['main']!.replicas }
  gateway.apply({ ...rest, pools: { next } })
  expect((await moving).usage?.completion_tokens).toBe(4)
})

test('a replica that left is reported until what runs there is over', async () => {
  const one = await startEngineStub({ pace_ms: 20 })
  stops.push(one.stop)
  const gateway = await startTestGateway([one.url], { version: 1 })
  const running = openAiClient(gateway).chat.completions.create({ ...chatBody('tokens=20'), stream: true })
  await until(() => total(gateway, 'r0')?.running === 1)
  gateway.apply(snapshotOf([], { version: 2 }))
  expect(total(gateway, 'r0')).toMatchObject({ listed: false, running: 1 })
  for await (const _ of await running);
  await until(() => total(gateway, 'r0') === undefined)
})
