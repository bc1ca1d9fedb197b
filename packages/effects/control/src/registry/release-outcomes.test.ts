// Rollouts that ended, joined with what was decided before, over a real PostgreSQL.

import type { Revision } from '@ironlaw/contracts'
import { DEPLOYMENT_SPEC } from '@ironlaw/contracts/deployment-api'
import { appendEvents, createDeployment, deploymentStream, openPostgres, orderDeployment } from '@ironlaw/store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS } from '../../test/api-bed.ts'
import { SERVER_ABSENT, startPrivateServer } from '../../test/postgres.ts'
import { type RegistryBed, registryBed } from '../../test/registry-bed.ts'

const COMPLETE = { code: 'f00', data: 'corpus@3', configuration: 'c0ffee', environment: 'image@sha256:1' }
const MEASURED = { artifacts: [], figures: [{ name: 'accuracy', value: 0.8 }] }

describe.skipIf(SERVER_ABSENT !== undefined)(`PostgreSQL ${SERVER_ABSENT ?? ''}`, () => {
  let bed: ApiBed
  let registry: RegistryBed
  let stop: () => Promise<void>
  beforeAll(async () => {
    const server = await startPrivateServer()
    stop = server.stop
    bed = await apiBed({ database: openPostgres(server.url, { max: 8 }), now: () => Date.now() / 1000 })
    registry = await registryBed(bed)
  }, BED_TIMEOUT_MS)
  afterAll(async () => {
    await bed.close()
    registry.close()
    await stop()
  })

  const revision = (number: number, artifact?: string): Revision => ({
    number,
    model: 'm',
    ...(artifact !== undefined && { version: { artifact, digest: '0'.repeat(64) } }),
    argv: ['engine'],
    directory: '/',
    environment: {},
    processesPerReplica: 1,
    maxRunning: 8,
    createdAt: Date.now() / 1000,
  })

  const event = (kind: string, body: object = {}, actor = 'reconciler') => ({ kind, actor, at: Date.now() / 1000, body: { ...body } })

  async function newDeployment(project = 'default'): Promise<string> {
    const wanted = { id: `d-${project}`, name: `chat-${project}`, project, team: 't', spec: DEPLOYMENT_SPEC.parse({ replicas: 1 }) }
    await createDeployment(bed.database, { ...wanted, revision: revision(1) }, event('deployment-created'))
    return wanted.id
  }

  const rollOut = (id: string, number: number, artifact: string) =>
    orderDeployment(bed.database, { id, at: Date.now() / 1000 }, () => ({
      answer: 0,
      change: { revision: revision(number, artifact), stable: 1, events: [event('revision-created', { revision: number })] },
    }))
  const end = (id: string, number: number, kind: 'promoted' | 'rolled-back', why: string) =>
    appendEvents(bed.database, deploymentStream(id), [event(`rollout-${kind}`, { revision: number, stable: 1, why })])

  async function judged(name: string, answer: 'released' | 'refused', evidence: object = MEASURED): Promise<string> {
    const id = await registry.add(name, { type: 'model', facts: COMPLETE })
    const decided = await registry.ask('POST', `/models/${name}/decisions`, { answer, seen: 0, why: 'as measured', evidence })
    expect(decided.status).toBe(201)
    return id
  }

  test('each rollout has the decision of its time and how it ended; what nothing was decided about is counted only', async () => {
    const id = await newDeployment()
    const good = await judged('good', 'released')
    const bad = await judged('bad', 'released')
    const alarm = await judged('alarm', 'refused')
    const guess = await judged('guess', 'released', { artifacts: [], figures: [] })
    const candidate = await registry.add('candidate', { type: 'model' })
    for (const [index, artifact] of [good, bad, alarm, guess, candidate, good, good].entries()) await rollOut(id, index + 2, artifact)
    await registry.ask('POST', '/models/bad/decisions', { answer: 'retired', seen: 1, why: 'rolled back' })
    await end(id, 2, 'promoted', 'as good')
    await end(id, 3, 'rolled-back', 'worse in errors')
    await end(id, 4, 'promoted', 'as good')
    await end(id, 5, 'promoted', 'as good')
    await end(id, 6, 'promoted', 'as good')
    await appendEvents(bed.database, deploymentStream(id), [event('rollout-rollback-wanted', { revision: 7 }, 'ben')])
    await end(id, 7, 'rolled-back', 'on request')
    const { status, json } = await registry.ask('GET', '/releases')
    expect(status).toBe(200)
    expect(json.items).toMatchObject([
      { version: good, revision: 7, production: 'rolled-back', ordered_by: 'ben' },
      { version: alarm, revision: 4, offline: 'refused', production: 'promoted', names: ['alarm@1'] },
      { version: bad, revision: 3, offline: 'released', production: 'rolled-back', why: 'worse in errors', decision: { number: 1 } },
      { version: good, revision: 2, offline: 'released', production: 'promoted', deployment: 'chat-default' },
    ])
    expect(json).toMatchObject({
      summary: { released: { rollouts: 2, promoted: 1 }, refused: { rollouts: 1 }, misses: 1, false_alarms: 1, ordered: 1 },
      unjudged: 2,
    })
    const first = (await registry.ask('GET', '/releases?limit=1')).json
    expect([first.items.length, first.summary]).toEqual([1, json.summary])
  })

  test('another project has none of them, and who is not of it does not see that it exists', async () => {
    const url = '/v1/projects/other/releases'
    expect((await bed.call({ method: 'GET', url, as: bed.tokens.viewer })).json).toMatchObject({ items: [], unjudged: 0 })
    const body = { name: 'stranger', role: 'admin', projects: ['third'] }
    const { secret } = (await bed.call({ method: 'POST', url: '/v1/tokens', as: bed.tokens.admin, body })).json
    expect((await bed.call({ method: 'GET', url, as: secret })).status).toBe(404)
  })
})
