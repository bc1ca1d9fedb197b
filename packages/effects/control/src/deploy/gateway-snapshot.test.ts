import type { Replica, Revision } from '@ironlaw/contracts'
import { GATEWAY_CONFIG, parseSnapshot } from '@ironlaw/contracts/gateway-snapshot'
import { describe, expect, test } from 'vitest'
import { evidenceAfter } from './evidence.ts'
import { gatewaySnapshot, type ServedDeployment } from './gateway-snapshot.ts'

const revision = (number: number): Revision => ({
  number,
  model: `m${number}`,
  argv: ['engine'],
  directory: '/',
  environment: {},
  processesPerReplica: 1,
  maxRunning: 8,
  createdAt: 0,
})

const replica = (id: string, of: number, state: Replica['state'] = 'serving'): Replica => ({
  id,
  revision: of,
  state,
  since: 0,
  submittedAt: 0,
  url: 'http://10.0.0.1:8000',
})

const served = (over: Partial<ServedDeployment>): ServedDeployment => ({
  name: 'chat',
  stable: 1,
  rollout: null,
  shares: [0.1, 0.5],
  revisions: [revision(1), revision(2)],
  replicas: [replica('a', 1), replica('b', 1), replica('c', 1)],
  ...over,
})

const CONFIG = GATEWAY_CONFIG.parse({
  tenants: { one: {} },
  keys: [{ sha256: '0'.repeat(64), tenant: 'one' }],
  models: { chat: { hedge: true } },
})
const targets = (over: Partial<ServedDeployment>) => gatewaySnapshot(CONFIG, [served(over)]).models['chat']?.targets
const rollout = { revision: 2, stable: 1, state: 'canary' as const, stage: 0, since: 0 }

describe('a snapshot', () => {
  test('is one that gateways take, with what operators decided', () => {
    const parsed = parseSnapshot({ ...gatewaySnapshot(CONFIG, [served({})]), version: 1 })
    expect(parsed).toMatchObject({ ok: true, snapshot: { models: { chat: { hedge: true } }, pools: { 'chat@1': { model: 'm1' } } } })
  })

  test('sends nothing to what does not serve', () => {
    const replicas = [replica('a', 1), replica('b', 1, 'draining'), replica('c', 1, 'starting')]
    expect(gatewaySnapshot(CONFIG, [served({ replicas })]).pools['chat@1']?.replicas.map(({ id }) => id)).toEqual(['a'])
  })

  test('gives a canary its share, but no more for each replica than the others have', () => {
    const replicas = [...served({}).replicas, replica('d', 2)]
    expect(targets({ rollout, replicas })).toEqual([
      { pool: 'chat@1', weight: 0.8 },
      { pool: 'chat@1-control', weight: 0.1 },
      { pool: 'chat@2', weight: 0.1, trial: true },
    ])
    expect(targets({ rollout: { ...rollout, stage: 1 }, replicas })).toEqual([
      { pool: 'chat@1', weight: 0.5 },
      { pool: 'chat@1-control', weight: 0.25 },
      { pool: 'chat@2', weight: 0.25, trial: true },
    ])
    const pools = gatewaySnapshot(CONFIG, [served({ rollout, replicas })]).pools
    const members = Object.entries(pools).map(([name, pool]) => [name, pool.replicas.map(({ id }) => id).join('')])
    expect(Object.fromEntries(members)).toEqual({ 'chat@1': 'bc', 'chat@1-control': 'a', 'chat@2': 'd' })
    const few = [replica('a', 1), replica('d', 2)]
    expect(targets({ rollout: { ...rollout, stage: 1 }, replicas: few })?.map(({ pool, weight }) => `${pool} ${weight}`)).toEqual([
      'chat@1-control 0.5',
      'chat@2 0.5',
    ])
  })

  test('a promoted revision gets what its replicas can take, one that was rolled back nothing', () => {
    const replicas = [...served({}).replicas, replica('d', 2)]
    const promoted = { rollout: { ...rollout, state: 'promoted' as const }, stable: 2, replicas }
    expect(targets(promoted)?.map(({ weight }) => weight)).toEqual([0.75, 0.25])
    expect(targets({ rollout: { ...rollout, state: 'rolled-back' }, replicas })).toEqual([{ pool: 'chat@1', weight: 1 }])
  })

  test('copies go to a shadow: of the requests of a control group as large, so that both have the same load', () => {
    const shadow = gatewaySnapshot(CONFIG, [
      served({
        rollout: { ...rollout, state: 'shadow' },
        replicas: [replica('a', 1), replica('b', 1), replica('c', 1), replica('d', 1), replica('e', 2)],
      }),
    ])
    expect(shadow.models['chat']).toMatchObject({
      targets: [
        { pool: 'chat@1', weight: 0.75 },
        { pool: 'chat@1-control', weight: 0.25 },
      ],
      shadow: { pool: 'chat@2', share: 1, of: 'chat@1-control' },
    })
    const lone = gatewaySnapshot(CONFIG, [
      served({ rollout: { ...rollout, state: 'shadow' }, replicas: [replica('a', 1), replica('e', 2)] }),
    ])
    expect(lone.models['chat']).toMatchObject({ targets: [{ pool: 'chat@1-control', weight: 1 }] })
  })
})

describe('evidence', () => {
  const totals = (id: string, pool: string, answers: number) => ({
    pool,
    id,
    listed: true,
    running: 0,
    answers,
    errors: 0,
    tokens: 0,
    ttft: { count: answers, log_sum: -answers },
    tpot: { count: 0, log_sum: 0 },
  })
  const gateway = (boot: string, ...replicas: ReturnType<typeof totals>[]) => ({
    id: 'g',
    body: { boot, version: 1, leaving: false, pools: [], replicas },
  })
  const none = { total: 0, bad: 0 }
  const observation = (now: number, ...gateways: ReturnType<typeof gateway>[]) => ({
    now,
    revision: 2,
    gateways,
    control: 'chat@1',
    canary: 'chat@2',
    quality: { control: none, canary: none },
    counts: true,
  })

  test('is what was counted since the last look: neither a restart nor a replica that leaves counts twice', () => {
    const first = evidenceAfter(undefined, observation(0, gateway('x', totals('a', 'chat@1', 100), totals('d', 'chat@2', 10))))
    expect(first.canary.errors).toEqual({ control: none, canary: none })
    const second = evidenceAfter(first, observation(1, gateway('x', totals('a', 'chat@1', 130), totals('d', 'chat@2', 14))))
    expect(second.canary.errors).toEqual({ control: { total: 30, bad: 0 }, canary: { total: 4, bad: 0 } })
    const left = evidenceAfter(second, observation(2, gateway('x', totals('d', 'chat@2', 14))))
    expect(left.canary.errors).toEqual(second.canary.errors)
    const restarted = evidenceAfter(left, observation(3, gateway('y', totals('a', 'chat@1', 5), totals('d', 'chat@2', 1))))
    expect(restarted.canary.errors).toEqual({ control: { total: 35, bad: 0 }, canary: { total: 5, bad: 0 } })
    expect(restarted.canary.seconds).toBe(3)
    const next = evidenceAfter(restarted, {
      ...observation(4, gateway('y', totals('a', 'chat@1', 9), totals('e', 'chat@3', 2))),
      revision: 3,
    })
    expect(next.canary.errors).toEqual({ control: none, canary: none })
  })

  test('a gateway that names a pool like a property of every object counts for nothing and stops nothing', () => {
    const first = evidenceAfter(undefined, observation(0, gateway('x', totals('a', 'chat@1', 1))))
    const hostile = ['constructor', '__proto__', 'toString'].map((pool) => totals('a', pool, 1))
    const second = evidenceAfter(first, observation(1, gateway('x', totals('a', 'chat@1', 2), ...hostile)))
    expect(second.canary.errors).toEqual({ control: { total: 1, bad: 0 }, canary: none })
  })
})
