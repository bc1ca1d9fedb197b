import { hash } from 'node:crypto'
import { MODEL_VERSION_FILE } from '@ironlaw/contracts/model-version'
import { revisionsOf } from '@ironlaw/store'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS } from '../../test/api-bed.ts'
import { type RegistryBed, registryBed } from '../../test/registry-bed.ts'
import { replicaJob } from '../deploy/replica-job.ts'

let bed: ApiBed
let registry: RegistryBed

beforeAll(async () => {
  bed = await apiBed({ now: () => Date.now() / 1000 })
  registry = await registryBed(bed)
}, BED_TIMEOUT_MS)
afterAll(async () => {
  await bed.close()
  registry.close()
})

const COMPLETE = { code: 'f00', data: 'corpus@3', configuration: 'c0ffee', environment: 'image@sha256:1' }
const addModel = (name: string, record = `record of ${name}`) =>
  registry.add(name, { type: 'model', facts: COMPLETE, files: { [MODEL_VERSION_FILE]: record, 'model.gguf': name } })

const revision = (version?: string) => ({ model: 'm', argv: ['engine'], directory: '/srv', ...(version !== undefined && { version }) })
const send = (method: 'POST' | 'PUT', url: string, body: object) =>
  bed.call({ method, url, as: bed.tokens.operator, body, headers: method === 'PUT' ? { 'if-match': '*' } : {} })
const create = (name: string, version?: string, release?: 'required') =>
  send('POST', '/v1/deployments', { name, spec: { replicas: 1, ...(release && { release }) }, revision: revision(version) })
const decide = (model: string, answer: string, seen = 0) =>
  registry.ask('POST', `/models/${model}/decisions`, { answer, seen, why: 'test' })

test('a revision keeps the id of the version and the digest of its record, which its engines get', async () => {
  const id = await addModel('tiny')
  expect((await create('chat', 'tiny')).status).toBe(201)
  await addModel('tiny', 'a later one')
  const { json } = await bed.call({ method: 'GET', url: '/v1/deployments/chat', as: bed.tokens.viewer })
  const digest = hash('sha256', 'record of tiny')
  expect(json.revisions).toMatchObject([{ version: { artifact: id, digest } }])
  const [first] = (await revisionsOf(bed.database, [json.id])).readable(json.id)
  if (!first) throw new Error('no revision')
  const replica = { id: 'chat-1', revision: 1, state: 'submitting', since: 0, submittedAt: 0 } as const
  const environment = { IRONLAW_MODEL_VERSION_SHA256: 'another', IRONLAW_REQUIRE_SIGNATURE: 'mine.pem' }
  const site = { runs: '/runs', requireSignature: '/site.pem', artifacts: '/artifacts' }
  const job = replicaJob(site, replica, { ...first, environment, argv: ['engine', '--model', 'models/{version}'] })
  expect(job.env).toMatchObject({
    IRONLAW_MODEL_VERSION_SHA256: digest,
    IRONLAW_MODEL_VERSION: id,
    IRONLAW_ARTIFACT_STORAGE: '/artifacts',
    IRONLAW_REQUIRE_SIGNATURE: '/site.pem',
  })
  expect(job.argv).toEqual(['engine', '--model', `models/${id}`])
  const same = await send('PUT', '/v1/deployments/chat', { spec: { replicas: 1 }, revision: revision('tiny@1') })
  expect(same.json.changes).toEqual([])
  const other = await send('PUT', '/v1/deployments/chat', { spec: { replicas: 1 }, revision: revision('tiny') })
  expect(other.json.changes).toMatchObject([{ path: 'revision.version', now: id }])
})

test('where a release is required, nothing else is served: not at first, not as a revision, not as a change', async () => {
  await addModel('gated')
  await addModel('candidate')
  expect((await create('strict', undefined, 'required')).json).toMatchObject({
    status: 400,
    title: expect.stringContaining('body.revision.version'),
  })
  expect((await create('strict', 'gated', 'required')).json).toMatchObject({
    status: 409,
    title: expect.stringContaining('gated is candidate'),
    next: expect.stringContaining('ironlaw decide gated release'),
  })
  await decide('gated', 'released')
  expect((await create('strict', 'gated', 'required')).status).toBe(201)
  for (const version of [undefined, 'candidate']) {
    const expected = version === undefined ? 400 : 409
    expect((await send('POST', '/v1/deployments/strict/revisions', revision(version))).status).toBe(expected)
    const change = { spec: { replicas: 1, release: 'required' }, revision: revision(version) }
    expect((await send('PUT', '/v1/deployments/strict', change)).status).toBe(expected)
  }
  await decide('gated', 'retired', 1)
  expect((await send('POST', '/v1/deployments/strict/revisions', revision('gated'))).json.title).toContain('gated is retired')
})

test('what cannot be verified is not a version to serve', async () => {
  await registry.add('bare-model', { type: 'model', facts: COMPLETE })
  await registry.add('some-data', { type: 'dataset' })
  expect((await create('bad', 'bare-model')).json).toMatchObject({ status: 400, title: expect.stringContaining(MODEL_VERSION_FILE) })
  expect((await create('bad', 'some-data')).json).toMatchObject({ status: 409, title: expect.stringContaining('not a model') })
  expect((await create('bad', 'nothing')).status).toBe(404)
  expect((await create('bad', '../x')).status).toBe(400)
})
