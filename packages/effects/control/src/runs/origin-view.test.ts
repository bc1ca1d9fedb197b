import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS, report, runRequest, SECRET } from '../../test/api-bed.ts'
import { type RegistryBed, registryBed } from '../../test/registry-bed.ts'

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

const CODE = { commit: 'a'.repeat(40), path: 'programs', remote: 'https://host.example/x.git' }
const CHANGES = { digest: 'b'.repeat(64), count: 2, files: [{ path: 'programs/train.py' }] }
const SPEC = { kind: 'Job', name: 'tiny', environment: { API_KEY: SECRET }, run: { environment: { OTHER: SECRET } } }

const originOf = async (run: string) => (await bed.call({ method: 'GET', url: `/v1/runs/${run}/origin`, as: bed.tokens.viewer })).json

let sequence = 0
const sendEnvironment = (run: { readonly id: string; readonly token: string }, detail: object, attempt = 1) =>
  bed.call({
    method: 'POST',
    url: `/v1/runs/${run.id}/attempts/${attempt}/reports`,
    as: run.token,
    body: report({ sequence: (sequence += 1), notes: [{ kind: 'environment', at: 1, detail: { index: 0, node: 'n1', ...detail } }] }),
  })

test('a run knows its code, spec, arguments, data and, once agents have looked, its environment', async () => {
  const corpus = await registry.add('corpus', { type: 'dataset' })
  const program = { ...runRequest().program, files: { 'a.yaml': 'lr: 1\n' } }
  const run = await bed.newRun({ code: CODE, spec: SPEC, uses: ['corpus'], program })
  expect(await originOf(run.id)).toMatchObject({
    run: run.id,
    code: CODE,
    configuration: {
      plan: expect.stringMatching(/^plan-/),
      spec: { environment: ['API_KEY'], run: { environment: ['OTHER'] } },
      argv: ['train.py'],
      files: { 'a.yaml': expect.stringMatching(/^[0-9a-f]{64}$/) },
      variables: ['API_KEY'],
    },
    data: { uses: [{ name: 'corpus', id: corpus, type: 'dataset' }] },
    repetitions: [],
  })
  expect((await originOf(run.id)).environment).toBeUndefined()
  await sendEnvironment(run, { python: 'CPython 3.11', packages: { torch: '2.1' }, kernel: 'Linux 6' })
  await sendEnvironment(run, { index: 1, node: 'n2', python: 'CPython 3.12', packages_digest: 'c'.repeat(64), kernel: 'Linux 6' })
  await bed.nextAttempt(run.id)
  await sendEnvironment(run, { python: 'CPython 3.11', packages: { torch: '2.2' }, kernel: 'Linux 6' }, 2)
  expect((await originOf(run.id)).environment).toMatchObject({
    attempt: 2,
    node: 'n1',
    packages: { torch: '2.2' },
    others: [
      { attempt: 1, node: 'n1', fields: ['packages'] },
      { attempt: 1, node: 'n2', fields: ['python', 'packages'] },
    ],
  })
})

test('values of the environment are in no answer, event or column of what a run was made of', async () => {
  const run = await bed.newRun({ code: CODE, spec: SPEC })
  for (const path of ['', '/origin', '/events'])
    expect((await bed.call({ method: 'GET', url: `/v1/runs/${run.id}${path}`, as: bed.tokens.admin })).text).not.toContain(SECRET)
  const row = await bed.database.selectFrom('runs').select(['spec', 'recipe']).where('id', '=', run.id).executeTakeFirst()
  expect(JSON.stringify(row)).not.toContain(SECRET)
})

test.each([
  ['an address with a token', { ...CODE, remote: 'https://ada:planted@host/x.git' }, 'body.code.remote'],
  ['no commit', { ...CODE, commit: 'main' }, 'body.code.commit'],
  ['an unknown field', { ...CODE, author: 'ada' }, 'body.code'],
])('code with %s is refused with its field', async (_, code, field) => {
  const answer = await bed.call({ method: 'POST', url: '/v1/runs', as: bed.tokens.member, body: { ...runRequest(), code } })
  expect(answer.status).toBe(400)
  expect(answer.json.title).toContain(field)
})

test('runs that differ in their seed alone repeat each other, in their project', async () => {
  const seeded = (seed: string, project = 'default') =>
    bed.newRun({ project, code: CODE, program: { argv: ['other.py', '--seed', seed], directory: '/srv', environment: {} } })
  const [first, second, elsewhere] = [await seeded('1'), await seeded('2'), await seeded('3', 'other')]
  expect((await originOf(first.id)).repetitions).toEqual([second.id])
  expect((await originOf(elsewhere.id)).repetitions).toEqual([])
})

test('a version of a model takes code and environment from its run, and says that code is in no commit', async () => {
  const run = await bed.newRun({ code: { ...CODE, changes: CHANGES } })
  const data = await registry.add('corpus-2', { type: 'dataset' })
  await registry.add('dirty', { type: 'model', facts: { data }, run: run.id })
  expect((await registry.ask('GET', '/models/dirty')).json).toMatchObject({ lacks: ['environment'], uncommitted: true })
  await sendEnvironment(run, { image: `registry/x@sha256:${'d'.repeat(64)}`, kernel: 'Linux 6' })
  const { json } = await registry.ask('GET', '/models/dirty')
  expect(json).toMatchObject({ lacks: [], uncommitted: true })
  const known = Object.fromEntries(
    json.known.map(({ fact, value, from }: { fact: string; value: unknown; from: string }) => [fact, [value, from]]),
  )
  expect(known).toMatchObject({
    code: [{ commit: CODE.commit, path: 'programs', changes: { digest: CHANGES.digest, files: 2 } }, 'run'],
    environment: [{ image: expect.stringContaining('@sha256:'), kernel: 'Linux 6' }, 'run'],
  })
  expect((await registry.ask('POST', '/models/dirty/decisions', { answer: 'released', seen: 0, why: 'good' })).status).toBe(201)
  expect((await registry.ask('GET', '/models')).json.items[0]).toMatchObject({ state: 'released', uncommitted: true })
})
