import type { GatewaySync } from '@ironlaw/contracts/gateway-sync'
import { expect, test } from 'vitest'
import { lookAt } from './look.ts'

const REPLICA = { id: 'r', revision: 1, state: 'draining', since: 90, submittedAt: 10, url: 'http://127.0.0.1:1' } as const
const CONFIG = { epoch: 'e', version: 7 }

const never = async (): Promise<never> => {
  throw new Error('a replica that drains is not probed')
}

const ACCESS = { endpoint: never, isReady: never, lastWords: never, nameProblem: never, isRight: never }
const JOB = { state: 'unreachable', reason: '' } as const

async function inFlight(reports: readonly Partial<GatewaySync>[], left = CONFIG, config = CONFIG) {
  const gateways = reports.map((over, index) => ({
    id: `g${index}`,
    seen_at: 99,
    body: { boot: 'b', version: 7, leaving: false, pools: [], replicas: [], ...over },
  }))
  const looking = { gateways, config, memory: { silent: {}, left: { r: left } }, now: 100 }
  return (await lookAt({ access: ACCESS }, { replica: REPLICA, job: JOB }, looking)).seen.inFlight
}

test('a replica that drains counts as idle only when every gateway has applied a configuration without it', async () => {
  expect(
    await inFlight([
      { epoch: 'e', version: 7 },
      { epoch: 'e', version: 8 },
    ]),
  ).toBe(0)
  expect(
    await inFlight([
      { epoch: 'e', version: 7 },
      { epoch: 'e', version: 6 },
    ]),
  ).toBeUndefined()
  expect(await inFlight([{ epoch: 'e', version: 6, rejected: { epoch: 'e', version: 7, reason: 'planted' } }])).toBeUndefined()
})

test('after a new epoch has begun, a gateway of the one before has not applied it', async () => {
  expect(await inFlight([{ epoch: 'e', version: 9 }], CONFIG, { epoch: 'f', version: 3 })).toBeUndefined()
  expect(await inFlight([{ epoch: 'f', version: 3 }], CONFIG, { epoch: 'f', version: 3 })).toBe(0)
})

test('the time to drain is counted from look to look, whatever a clock does', async () => {
  let left: Awaited<ReturnType<typeof lookAt>>['left']
  const drainedFor = async (now: number) => {
    const looking = { gateways: [], config: CONFIG, memory: { silent: {}, ...(left && { left: { r: left } }) }, now }
    const look = await lookAt({ access: ACCESS }, { replica: REPLICA, job: JOB }, looking)
    left = look.left
    return look.seen.drained_s
  }
  expect(await drainedFor(100)).toBe(0)
  expect(await drainedFor(101)).toBe(1)
  const tenYears_s = 315_360_000
  expect(await drainedFor(101 + tenYears_s)).toBe(3)
  expect(await drainedFor(102)).toBe(3)
  expect(await drainedFor(103)).toBe(4)
})

test('so is the time for which one is kept', async () => {
  let kept: Awaited<ReturnType<typeof lookAt>>['kept']
  const replica = { ...REPLICA, state: 'warm', since: 4000, url: 'http://engine:8000' } as const
  const keptFor = async (now: number) => {
    const looking = { gateways: [], config: CONFIG, memory: { silent: {}, ...(kept && { kept: { r: kept } }) }, now }
    const look = await lookAt({ access: { ...ACCESS, isReady: async () => true } }, { replica, job: JOB }, looking)
    kept = look.kept
    return look.seen.kept_s
  }
  expect(await keptFor(400)).toBe(0)
  expect(await keptFor(402)).toBe(2)
  expect(await keptFor(4002)).toBe(7)
  expect(await keptFor(404)).toBe(7)
})
