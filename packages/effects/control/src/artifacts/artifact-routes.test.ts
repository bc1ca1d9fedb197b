import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addFiles, openArtifacts, openStorage } from '@ironlaw/artifacts'
import { artifactId, objectKey } from '@ironlaw/contracts/artifact'
import { MOST_FILE_BYTES } from '@ironlaw/contracts/artifact-operations'
import type { Allocation } from '@ironlaw/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS, runRequest } from '../../test/api-bed.ts'
import { allocationJob } from '../reconcile/site.ts'
import { specOfRun } from '../runs/run-spec.ts'
import { requireRun } from '../runs/run-view.ts'

let bed: ApiBed
let url = ''
const folder = mkdtempSync(join(tmpdir(), 'ironlaw-artifact-routes-'))

beforeAll(async () => {
  bed = await apiBed({ now: () => Date.now() / 1000 })
  url = (await bed.call({ method: 'GET', url: '/v1/artifact-storage', as: bed.tokens.viewer })).json.url
}, BED_TIMEOUT_MS)
afterAll(async () => {
  await bed.close()
  rmSync(folder, { recursive: true })
})

async function added(name: string, text: string) {
  const directory = join(folder, name)
  mkdirSync(directory)
  writeFileSync(join(directory, 'a.jsonl'), text)
  return addFiles(await openArtifacts(openStorage(url)), { directory, type: 'dataset' })
}

const BASE = '/v1/projects/default'
const ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
  bed.call({ method, url: `${BASE}${path}`, as: bed.tokens.admin, ...(body && { body }) })

test('from upload to collection: registered, named, compared, traced, removed, collected', { timeout: 60_000 }, async () => {
  const [one, two] = [await added('one', 'first\nsecond\n'), await added('two', 'first\nthird\n')]
  const [a, b] = [artifactId(one), artifactId(two)]
  const storage = openStorage(url)
  const chunks = await Array.fromAsync(storage.list('chunks/'))
  await storage.remove(chunks[0]?.key ?? '')
  const answers = [await ask('POST', '/artifacts', { manifest: one }), await ask('POST', '/artifacts', { manifest: two })]
  expect(new Set(answers.map(({ json }) => json.state))).toEqual(new Set(['missing', 'registered']))
  expect(answers.flatMap(({ json }) => json.keys ?? [])).toEqual([chunks[0]?.key])
  for (const name of ['one', 'two'])
    await addFiles(await openArtifacts(storage), { directory: join(folder, name), type: 'dataset', again: new Set([chunks[0]?.key ?? '']) })

  const run = await bed.newRun()
  const made = await bed.call({
    method: 'POST',
    url: `/v1/runs/${run.id}/artifacts`,
    as: run.token,
    body: { manifest: two, name: 'corpus' },
  })
  expect(made.json).toMatchObject({ state: 'registered', artifact: { id: b, names: ['corpus'] } })
  expect((await ask('POST', '/artifacts', { manifest: one, name: 'corpus' })).json).toMatchObject({
    state: 'registered',
    artifact: { id: a },
  })
  expect((await ask('GET', '/artifacts/corpus@1')).json.id).toBe(b)
  expect((await ask('GET', `/artifacts/${a.slice(0, 14)}`)).json.id).toBe(a)
  expect((await ask('GET', '/artifacts?limit=1')).json).toMatchObject({ items: [{ id: expect.any(String) }], next: expect.any(String) })
  expect((await ask('GET', '/artifact-names/corpus')).json.items).toMatchObject([
    { version: 2, artifact: a },
    { version: 1, artifact: b },
  ])
  expect((await ask('GET', '/artifacts/corpus/manifest')).json).toEqual(one)
  expect((await ask('GET', '/artifacts/corpus@1/diff/corpus')).json).toMatchObject({ from: b, to: a, files_changed: 1 })
  expect((await ask('GET', `/artifacts/${b}/trace`)).json).toMatchObject({ from: b, runs: [{ id: run.id }], truncated: false })
  expect((await ask('GET', `/artifacts/${run.id}/trace?direction=down`)).json).toMatchObject({ from: run.id, artifacts: [{ id: b }] })

  expect((await ask('DELETE', `/artifacts/${a}`)).status).toBe(409)
  expect((await ask('DELETE', `/artifacts/${b}`)).json).toMatchObject({ id: b, removed_at: expect.any(Number) })
  const collect = () => bed.call({ method: 'POST', url: '/v1/artifact-storage/collect', as: bed.tokens.admin })
  expect((await collect()).json).toMatchObject({ objects: 0, done: true })
  const old = Date.now() / 1000 - 2 * 86_400
  for (const prefix of ['chunks/', 'lists/', 'manifests/'])
    for await (const { key } of storage.list(prefix)) utimesSync(join(url, key), old, old)
  expect((await collect()).json).toMatchObject({ objects: 3, kept: 3, done: true })
  expect(await storage.has(objectKey.manifest(a))).toBe(true)
  expect((await ask('GET', `/artifacts/${b}/manifest`)).status).toBe(404)
  expect((await ask('POST', '/artifacts', { manifest: two })).json).toMatchObject({ state: 'missing' })
  await addFiles(await openArtifacts(storage), { directory: join(folder, 'two'), type: 'dataset' })
  expect((await ask('POST', '/artifacts', { manifest: two })).json).toMatchObject({
    state: 'registered',
    artifact: { id: b, made_by: run.id },
  })
})

test('a file of an artifact is read whole or in part, and nothing that is not one', async () => {
  const directory = join(folder, 'files')
  mkdirSync(join(directory, 'deep'), { recursive: true })
  writeFileSync(join(directory, 'deep/figures.json'), '{"steps":["é"]}')
  writeFileSync(join(directory, 'tokens.bin'), Buffer.alloc(MOST_FILE_BYTES + 16, 0xff))
  const manifest = await addFiles(await openArtifacts(openStorage(url)), { directory, type: 'dataset' })
  await ask('POST', '/artifacts', { manifest, name: 'files' })
  const read = (query: string, of = 'files') => ask('GET', `/artifacts/${of}/file?${query}`)
  const whole = { path: 'deep/figures.json', bytes: 16, from: 0, encoding: 'utf-8', content: '{"steps":["é"]}' }
  expect((await read('path=deep/figures.json')).json).toEqual(whole)
  expect((await read('path=deep/figures.json&from=9&length=2')).json).toMatchObject({ from: 9, encoding: 'utf-8', content: '["' })
  // Half a character is no text.
  expect((await read('path=deep/figures.json&from=12&length=2')).json).toMatchObject({ encoding: 'base64', content: 'qSI=' })
  expect((await read(`path=tokens.bin&from=${MOST_FILE_BYTES + 14}`)).json).toMatchObject({ encoding: 'base64', content: '//8=' })
  expect((await read('path=tokens.bin&from=99999999')).json).toMatchObject({ from: MOST_FILE_BYTES + 16, content: '' })
  expect((await read('path=tokens.bin')).json).toMatchObject({ status: 400, title: expect.stringContaining('tokens.bin') })
  expect((await read(`path=tokens.bin&length=${MOST_FILE_BYTES + 1}`)).status).toBe(400)
  for (const path of ['deep', 'figures.json', 'deep/figures.json/', 'DEEP/figures.json', 'manifests'])
    expect([path, (await read(`path=${encodeURIComponent(path)}`)).status]).toEqual([path, path.endsWith('/') ? 400 : 404])
  for (const path of [
    '',
    '..',
    '../chunks',
    'deep/../tokens.bin',
    './tokens.bin',
    '/etc/passwd',
    'deep//figures.json',
    'a\\b',
    'a\0',
    'x'.repeat(2000),
  ])
    expect([path, (await read(`path=${encodeURIComponent(path)}`)).status]).toEqual([path, 400])
  expect((await read('path=a&path=b')).status).toBe(400)
  expect((await read('')).status).toBe(400)
  expect((await read('path=tokens.bin', 'nothing')).status).toBe(404)
})

test('what does not fit is refused with its field', async () => {
  const manifest = await added('three', 'third\n')
  const large = { ...manifest, facts: { text: 'x'.repeat(70_000) } }
  expect((await ask('POST', '/artifacts', { manifest: large })).json).toMatchObject({
    status: 400,
    title: expect.stringContaining('facts'),
  })
  expect((await ask('POST', '/artifacts', { manifest, name: 'art-0123456789' })).json).toMatchObject({
    status: 400,
    title: expect.stringContaining('body.name'),
  })
  expect((await ask('POST', '/artifacts', { manifest, made_by: 'nobody-1' })).status).toBe(404)
  expect((await ask('GET', '/artifacts?cursor=x')).status).toBe(400)
})

test('a run keeps what its references meant when it was created, and tells its job', async () => {
  const [first, second] = [await added('four', 'fourth\n'), await added('five', 'fifth\n')]
  await ask('POST', '/artifacts', { manifest: first, name: 'tokens' })
  const create = (uses: readonly string[], headers: Readonly<Record<string, string>> = {}) =>
    bed.call({ method: 'POST', url: '/v1/runs', as: bed.tokens.admin, body: runRequest({ uses: [...uses] }), headers })
  expect((await create(['tokens', 'toknes'])).json).toMatchObject({ status: 404, title: expect.stringContaining('toknes') })
  const key = { 'idempotency-key': 'uses-1' }
  const run = (await create(['tokens', artifactId(first)], key)).json
  expect((await create(['tokens', artifactId(first)], key)).json.id).toBe(run.id)
  await ask('POST', '/artifacts', { manifest: second, name: 'tokens' })
  expect((await bed.call({ method: 'GET', url: `/v1/runs/${run.id}`, as: bed.tokens.viewer })).json.uses).toEqual([
    artifactId(first),
    artifactId(first),
  ])
  expect((await ask('DELETE', `/artifacts/${artifactId(first)}`)).json).toMatchObject({
    status: 409,
    title: expect.stringContaining(run.id),
    next: expect.stringContaining('cancel'),
  })
  const { json } = await ask('GET', `/artifacts/${run.id}/trace`)
  expect(json.edges).toEqual([{ run: run.id, artifact: artifactId(first), how: 'used' }])
  const row = await requireRun(bed.database, run.id)
  const site = { runs: '/runs', api: 'http://api', python: 'python3', artifacts: '/artifacts' }
  const allocation = { number: 1, nodes: 1, excluded: [] } as unknown as Allocation
  const { env } = allocationJob(site, { run: run.id, program: row.program, spec: specOfRun(row), allocation })
  expect(env['IRONLAW_ARTIFACT_STORAGE']).toBe('/artifacts')
  expect(JSON.parse(env['IRONLAW_ARTIFACTS'] ?? '')).toMatchObject([{ name: 'tokens', id: artifactId(first), type: 'dataset' }, {}])
})

test('a run is not resumed once what it uses is removed', async () => {
  const manifest = await added('seven', 'seventh\n')
  const id = artifactId(manifest)
  await ask('POST', '/artifacts', { manifest })
  const { json: run } = await bed.call({ method: 'POST', url: '/v1/runs', as: bed.tokens.admin, body: runRequest({ uses: [id] }) })
  await bed.database.updateTable('runs').set({ state: 'cancelled', ended_at: 1 }).where('id', '=', run.id).execute()
  await bed.database.deleteFrom('leases').where('run_id', '=', run.id).execute()
  await bed.database.insertInto('unbooked').values({ run_id: run.id, due_at: 1 }).execute()
  const resume = () => bed.call({ method: 'POST', url: `/v1/runs/${run.id}/resume`, as: bed.tokens.admin })
  expect((await ask('DELETE', `/artifacts/${id}`)).status).toBe(200)
  expect((await resume()).json).toMatchObject({ status: 409, title: expect.stringContaining(`${id} was removed`) })
  await ask('POST', '/artifacts', { manifest })
  expect((await resume()).json).toMatchObject({ id: run.id, state: 'queued' })
  expect((await ask('DELETE', `/artifacts/${id}`)).json).toMatchObject({ status: 409, title: expect.stringContaining(run.id) })
})

test('what cannot be read of an artifact stops the collection, which names the artifact', async () => {
  const manifest = await added('six', 'sixth\n')
  const id = artifactId(manifest)
  await ask('POST', '/artifacts', { manifest })
  const storage = openStorage(url)
  const collect = () => bed.call({ method: 'POST', url: '/v1/artifact-storage/collect', as: bed.tokens.admin })
  for (const key of [objectKey.list(manifest.files[0]?.chunks ?? ''), objectKey.manifest(id)]) {
    const whole = (await storage.get(key)) ?? Buffer.alloc(0)
    await storage.put(key, Buffer.from('damaged'))
    expect((await collect()).json).toMatchObject({
      status: 409,
      title: expect.stringContaining(`artifact ${id}`),
      next: expect.stringContaining(`ironlaw artifact verify ${id}`),
    })
    await storage.remove(key)
    expect((await collect()).json).toMatchObject({ status: 409, title: expect.stringContaining(`artifact ${id}`) })
    await storage.put(key, whole)
  }
  expect((await collect()).json).toMatchObject({ done: true })
})
