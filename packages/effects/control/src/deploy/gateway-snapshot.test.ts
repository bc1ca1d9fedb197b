import type { Replica, Revision } from '@ironlaw/contracts'
import { GATEWAY_CONFIG, parseSnapshot } from '@ironlaw/contracts/gateway-snapshot'
import { describe, expect, test } from 'vitest'
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
