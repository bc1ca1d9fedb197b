// A gateway's source of configuration against the real API of a control plane: what it applies, keeps, rejects, and what both sides say of it.

import { mkdtempSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventsOf } from '@ironlaw/store'
import { type GatewaySnapshot, SnapshotSource, type SourceOptions } from '@ironlaw/gateway'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS } from '../../../packages/effects/control/test/api-bed.ts'
import { issueToken } from '../../../packages/effects/control/src/access/tokens.ts'
import { chatBody, post, snapshotOf, startWithSnapshot, until } from '../../../packages/effects/gateway/test/setting.ts'

let bed: ApiBed
let url: string
const sources: SnapshotSource[] = []
const folders: string[] = []

beforeAll(async () => {
  bed = await apiBed()
  url = await bed.api.listen({ host: '127.0.0.1', port: 0 })
}, BED_TIMEOUT_MS)
afterAll(() => bed.close())
afterEach(() => {
  for (const source of sources.splice(0)) source.stop()
  // What a source keeps may still be on its way to the disk.
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
})

const key = (digit: string) => ({ sha256: digit.repeat(64), tenant: 't' })

async function configure(...keys: readonly string[]): Promise<number> {
  const body = { tenants: { t: {} }, keys: keys.map(key) }
  return (await bed.call({ method: 'PUT', url: '/v1/gateway-config', as: bed.tokens.admin, body, headers: { 'if-match': '*' } })).json
    .version
}

type FollowedSource = { readonly source: SnapshotSource; readonly inForce: () => GatewaySnapshot; readonly faults: readonly string[] }

async function follow(id: string, over: Partial<SourceOptions> = {}, onApply: (snapshot: GatewaySnapshot) => void = () => undefined) {
  const state = mkdtempSync(join(tmpdir(), 'ironlaw-config-'))
  folders.push(state)
  const report = () => ({ boot: 'one', pools: [], replicas: [] })
  const { secret: token } = await issueToken(bed.database, { name: id, role: 'gateway', actor: 'test', at: 1 })
  const options = {
    source: `${url}/v1/gateways/${id}/sync`,
    keepAt: join(state, 'kept.json'),
    every_ms: 20,
    token: () => token,
    report,
  }
  const source = new SnapshotSource({ ...options, ...over })
  sources.push(source)
  let inForce = await source.first()
  const faults: string[] = []
  source.watch(
    (snapshot) => {
      onApply(snapshot)
      inForce = snapshot
    },
    (problem) => faults.push(problem),
  )
  const followed: FollowedSource = { source, inForce: () => inForce, faults }
  return { ...followed, state }
}

const fetchGateway = async (id: string) => {
  const { json } = await bed.call({ method: 'GET', url: '/v1/gateways', as: bed.tokens.viewer })
  return json.items.find((each: { readonly id: string }) => each.id === id)
}

const expectReported = (id: string, wanted: object): Promise<void> =>
  expect.poll(() => fetchGateway(id), { timeout: 10_000, interval: 20 }).toMatchObject(wanted)

describe('configuration with acknowledgement', () => {
  test('a gateway whose disk is full applies a revocation, and says that it kept no copy', async () => {
    const version = await configure('a', 'b')
    const { inForce, faults, state, source } = await follow('g-full')
    await expectReported('g-full', { state: 'current', version, kept: true })
    rmSync(state, { recursive: true })
    const revoked = await configure('b')
    await until(() => inForce().version === revoked)
    expect(inForce().keys.map(({ sha256 }) => sha256[0])).toEqual(['b'])
    await expectReported('g-full', { state: 'current', version: revoked, kept: false })
    expect(faults.filter((fault) => fault.includes('no copy could be kept'))).toHaveLength(1)
    expect(source.status()).toMatchObject({ isKept: false, isRejecting: false })
    mkdirSync(state)
    await expectReported('g-full', { version: revoked, kept: true })
  })

  test('a configuration that cannot be applied is reported as rejected with its reason, is not sent again, and a newer one is taken', async () => {
    const good = await configure('a')
    const tried: number[] = []
    const { inForce } = await follow('g-reject', {}, ({ version, keys }) => {
      tried.push(version)
      if (keys.length === 2) throw new Error('planted')
    })
    const bad = await configure('a', 'b')
    await expectReported('g-reject', { state: 'rejected', version: good })
    expect(await fetchGateway('g-reject')).toMatchObject({ rejected: { version: bad, reason: expect.stringContaining('planted') } })
    const better = await configure('c')
    await expectReported('g-reject', { state: 'current', version: better })
    expect(tried).toEqual([bad, better])
    expect(inForce().version).toBe(better)
    expect(await fetchGateway('g-reject')).not.toHaveProperty('rejected')
  })

  test('a database restored to an earlier version begins a new epoch, and gateways take what it holds', async () => {
    await configure('a', '1')
    const version = await configure('a', '2')
    const { inForce } = await follow('g-restore')
    await expectReported('g-restore', { state: 'current', version })
    const restored = { version: version - 2, digest: 'as-it-was' }
    await bed.database
      .updateTable('gateway_snapshot')
      .set({ ...restored, epoch_since_at: 0 })
      .execute()
    await until(() => inForce().version < version)
    await configure('9')
    await until(() => inForce().keys[0]?.sha256[0] === '9')
    const events = await eventsOf(bed.database, 'gateways', { after: 0, limit: 1000 })
    expect(events.findLast(({ kind }) => kind === 'gateways-epoch-started')).toMatchObject({
      actor: 'gateway/g-restore',
      body: { reported: version, stored: version - 2 },
    })
  })

  test('a restored database that has reached the version of a gateway with another content is noticed', async () => {
    const version = await configure('a', '3')
    const { inForce } = await follow('g-same')
    await expectReported('g-same', { state: 'current', version })
    const { body } = await bed.database.selectFrom('gateway_snapshot').select('body').executeTakeFirstOrThrow()
    const other = { ...JSON.parse(JSON.stringify(body)), keys: [key('7')] }
    await bed.database
      .updateTable('gateway_snapshot')
      .set({ digest: 'another', body: JSON.stringify(other), epoch_since_at: 0 })
      .execute()
    await until(() => inForce().keys[0]?.sha256[0] === '7')
    expect(inForce().version).toBe(version)
  })

  test('the age of the configuration counts from its last confirmation, also over a restart; too old a one refuses requests', async () => {
    const { source } = await follow('g-age')
    await until(() => source.status().age_s < 0.5)
    const folder = mkdtempSync(join(tmpdir(), 'ironlaw-config-'))
    folders.push(folder)
    const keepAt = join(folder, 'kept.json')
    writeFileSync(keepAt, JSON.stringify(snapshotOf([])))
    const hourAgo = Date.now() / 1000 - 3600
    utimesSync(keepAt, hourAgo, hourAgo)
    const cutOff = new SnapshotSource({ source: 'http://127.0.0.1:1/', keepAt, every_ms: 1000 })
    const snapshot = await cutOff.first()
    expect(cutOff.status().age_s).toBeGreaterThan(3599)
    const age = { snapshotStatus: () => cutOff.status(), maxSnapshotAge_s: 600 }
    const gateway = await startWithSnapshot(snapshot, age)
    try {
      expect((await post(gateway, chatBody('hi'))).status).toBe(503)
      expect((await fetch(`${gateway.adminUrl}/health/ready`)).status).toBe(503)
      expect(await (await fetch(`${gateway.adminUrl}/metrics`)).text()).toMatch(/ironlaw_gateway_snapshot_age_seconds 36\d\d/)
    } finally {
      await gateway.stop()
    }
    const patient = await startWithSnapshot(snapshot, { snapshotStatus: () => cutOff.status() })
    expect((await fetch(`${patient.adminUrl}/health/ready`)).status).toBe(200)
    await patient.stop()
  })
})
