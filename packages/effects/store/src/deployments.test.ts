import { DEPLOYMENT_SPEC } from '@ironlaw/contracts/deployment-api'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { onEachDatabase } from '../test/each-database.ts'
import { event, freshId } from '../test/samples.ts'
import type { Database } from './database.ts'
import { applyToDeployment, leaseDeployments } from './deployment-leases.ts'
import { createDeployment, deploymentNamed, deploymentStream, orderDeployment, replicasOf } from './deployments.ts'
import { verifyChain } from './events.ts'
import {
  accessDocument,
  configDocument,
  configureGateways,
  configVersion,
  type LastSnapshot,
  makeSnapshot,
  startEpoch,
} from './gateways.ts'
import { migrationFiles } from './migrate.ts'

const REVISION = {
  number: 1,
  model: 'm',
  argv: ['engine'],
  directory: '/',
  environment: {},
  processesPerReplica: 1,
  maxRunning: 8,
  createdAt: 0,
}

async function deploy(database: Database, name = freshId('deployment')): Promise<string> {
  const spec = DEPLOYMENT_SPEC.parse({ replicas: 1 })
  const wanted = { id: freshId('id'), name, project: 'p', team: 't', spec, revision: REVISION }
  return createDeployment(database, wanted, event('deployment-created')).then((made) => (made === 'created' ? wanted.id : made))
}

const leaseOne = async (database: Database, id: string, at: number) =>
  (await leaseDeployments(database, { holder: 'h', at, lease_s: 30, limit: 1000 })).find((row) => row.id === id)

onEachDatabase((opened) => {
  test('a lease that a clock ten years ahead gave out is taken over now', async () => {
    const { database } = opened()
    const id = await deploy(database)
    expect(await leaseOne(database, id, 315_360_000)).toBeDefined()
    expect(await leaseOne(database, id, 1000)).toBeDefined()
    expect(await leaseOne(database, id, 1001)).toBeUndefined()
  })

  test('a spec of before headroom was measured is brought to its new form', async () => {
    const { database } = opened()
    const id = await deploy(database)
    const before = JSON.stringify({ replicas: 1, scaling: { min: 1, max: 2, tokens_per_s: 5, utilisation: 0.7 } })
    await sql`update deployments set spec = ${before}::jsonb, memory = '{}' where id = ${id}`.execute(database)
    const file = (await migrationFiles()).find(({ name }) => name === '0005-scaling')
    for (const statement of file?.text.split(';\n') ?? []) await sql.raw(statement).execute(database)
    const scaling = { min: 1, max: 2, tokens_per_s: 5, covered: 0.9 }
    expect(await deploymentNamed(database, id)).toMatchObject({ spec: { replicas: 1, scaling }, memory: null })
    expect((await deploymentNamed(database, id))?.spec.scaling).toEqual(scaling)
  })

  test('a name lives once, and again when it is free', async () => {
    const { database } = opened()
    const name = freshId('name')
    const id = await deploy(database, name)
    expect(await deploy(database, name)).toBe('taken')
    const lease = await leaseOne(database, id, 1000)
    await applyToDeployment(database, lease!, { at: 1001, state: 'removed', events: [event('deployment-removed')] })
    expect(await deploy(database, name)).not.toBe('taken')
    expect(await deploymentNamed(database, id)).toMatchObject({ state: 'removed', state_since_at: 1001 })
  })

  test('one lease at a time; what is written under an old token, or after a person decided, changes nothing', async () => {
    const { database } = opened()
    const id = await deploy(database)
    const first = await leaseOne(database, id, 1000)
    expect(await leaseOne(database, id, 1029)).toBeUndefined()
    const second = await leaseOne(database, id, 1031)
    const replica = { id: `${id}.1`, revision: 1, state: 'submitting' as const, since: 1031, submittedAt: 1031 }
    expect(await applyToDeployment(database, first!, { at: 1031, wanted: 9, events: [event('late')] })).toBe('stale')
    expect(await applyToDeployment(database, second!, { at: 1031, replicas: [replica], events: [event('replica-created')] })).toBe(
      'applied',
    )
    await orderDeployment(database, { id, at: 1032 }, () => ({ answer: 1, change: { desired: 'remove', events: [event('wanted')] } }))
    expect(await applyToDeployment(database, second!, { at: 1033, wanted: 9, events: [event('late')] })).toBe('stale')
    expect(await leaseOne(database, id, 1033)).toMatchObject({ desired: 'remove', wanted: 1 })
    expect((await replicasOf(database, [id], { goneSince_at: Infinity })).get(id)).toEqual([replica])
    expect(await verifyChain(database, deploymentStream(id))).toMatchObject({ intact: true, events: 3 })
  })

  test('a database that lost its last commits: neither the row of a replica nor the same token comes back to life', async () => {
    const { database } = opened()
    const id = await deploy(database)
    const lease = await leaseOne(database, id, 1000)
    const replica = { id: `${id}.1`, revision: 1, state: 'starting' as const, since: 1001, submittedAt: 1000 }
    const change = { at: 1001, existing: [replica], events: [event('replica-submitted')] }
    expect(await applyToDeployment(database, lease!, change)).toBe('stale')
    expect(await verifyChain(database, deploymentStream(id))).toMatchObject({ events: 1 })
    await applyToDeployment(database, lease!, { at: 1000, replicas: [{ ...replica, state: 'submitting' }], events: [] })
    expect(await applyToDeployment(database, lease!, change)).toBe('applied')
    const other = { ...lease!, holder: 'whose lease of the same token was lost' }
    expect(await applyToDeployment(database, other, { at: 1002, wanted: 9, events: [] })).toBe('stale')
  })

  test('the snapshot gets a new version when it changes, and only then', async () => {
    const { database } = opened()
    const makeFrom = (content: object, last?: LastSnapshot) =>
      makeSnapshot(database, { inputs: async () => content, made: () => ({ ...content }), last })
    const first = await makeFrom({ pools: { a: 1 } })
    const { version } = first
    expect(await makeFrom({ pools: { a: 1 } }, first)).toBe(first)
    expect(await makeFrom({ pools: { a: 1 } })).toEqual(first)
    expect(await makeFrom({ pools: { a: 2 } }, first)).toMatchObject({ version: version + 1 })
    expect(await makeFrom({ pools: { a: 2 } }, first)).toMatchObject({ version: version + 1 })
    const { epoch, digest } = await configVersion(database)
    expect(await configDocument(database)).toEqual({ epoch, digest, version: version + 1, pools: { a: 2 } })
    await configureGateways(database, { tenants: {}, keys: [] }, event('gateways-configured'))
    expect((await accessDocument(database))?.config).toEqual({ tenants: {}, keys: [] })
    const secrets = new Set<string>()
    const read = {
      inputs: async () => ({}),
      made: ({ cache_secret }: { readonly cache_secret: string }) => (secrets.add(cache_secret), {}),
      last: undefined,
    }
    await makeSnapshot(database, read)
    await makeSnapshot(database, read)
    expect([...secrets]).toEqual([expect.stringMatching(/^[\da-f]{64}$/)])
  })
  test('a new epoch takes the place of the one it was asked for, once, and not again at once', async () => {
    const { database } = opened()
    const { epoch } = await configVersion(database)
    const started = { ...event('gateways-epoch-started'), at: 5000 }
    expect(await startEpoch(database, { epoch, event: started })).toBe('applied')
    expect(await startEpoch(database, { epoch, event: started })).toBe('stale')
    const next = await configVersion(database)
    expect(next.epoch).not.toBe(epoch)
    expect(await startEpoch(database, { epoch: next.epoch, event: { ...started, at: 5001 } })).toBe('stale')
    expect(await startEpoch(database, { epoch: next.epoch, event: { ...started, at: 5010 } })).toBe('applied')
  })
})
