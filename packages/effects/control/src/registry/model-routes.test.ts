import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addFiles, openArtifacts, openStorage } from '@ironlaw/artifacts'
import { artifactId, type ArtifactManifest, type ArtifactType } from '@ironlaw/contracts/artifact'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS } from '../../test/api-bed.ts'

let bed: ApiBed
let url = ''
const folder = mkdtempSync(join(tmpdir(), 'ironlaw-models-'))

beforeAll(async () => {
  bed = await apiBed({ now: () => Date.now() / 1000 })
  url = (await bed.call({ method: 'GET', url: '/v1/artifact-storage', as: bed.tokens.viewer })).json.url
}, BED_TIMEOUT_MS)
afterAll(async () => {
  await bed.close()
  rmSync(folder, { recursive: true })
})

const ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
  bed.call({ method, url: `/v1/projects/default${path}`, as: bed.tokens.admin, ...(body && { body }) })

type Added = { readonly type: ArtifactType; readonly facts?: ArtifactManifest['facts']; readonly run?: string }

let added = 0

async function add(name: string, { type, facts = {}, run }: Added): Promise<string> {
  const directory = join(folder, String((added += 1)))
  mkdirSync(directory)
  writeFileSync(join(directory, 'content.txt'), `${name} ${added}\n`)
  const manifest = await addFiles(await openArtifacts(openStorage(url)), { directory, type, facts })
  const answer = await ask('POST', '/artifacts', { manifest, name, ...(run !== undefined && { made_by: run }) })
  expect(answer.json.state).toBe('registered')
  return artifactId(manifest)
}

const factsOf = (json: { known: readonly { fact: string; value: unknown; from: string }[] }) =>
  Object.fromEntries(json.known.map(({ fact, value, from }) => [fact, [value, from]]))

test('a version shows what is stated, what its run was, what that used, and the evaluations that name it', async () => {
  const data = await add('corpus', { type: 'dataset' })
  await add('questions', { type: 'evaluation', facts: { language: 'en' } })
  const run = await bed.newRun({ uses: ['corpus', 'questions'] })
  const model = await add('tiny', { type: 'model', facts: { code: 'f00', environment: 'image@sha256:1', card: 'README.md' }, run: run.id })
  const quality = await add('quality', { type: 'evaluation', facts: { model, accuracy: 0.8 } })
  await add('other-quality', { type: 'evaluation', facts: { model: `${model.slice(0, -1)}0`, accuracy: 0.1 } })
  const { json } = await ask('GET', '/models/tiny')
  expect(json).toMatchObject({ id: model, names: ['tiny'], made_by: run.id, lacks: [], evaluations: [{ id: quality, names: ['quality'] }] })
  expect(factsOf(json)).toMatchObject({
    code: ['f00', 'stated'],
    data: [[data], 'edges'],
    environment: ['image@sha256:1', 'stated'],
    configuration: [{ argv: ['train.py'] }, 'run'],
    run: [run.id, 'run'],
    hardware: [{ nodes: 2, processesPerNode: 2 }, 'run'],
    evaluations: [1, 'edges'],
    card: ['README.md', 'stated'],
  })
  // The run goes on: what it cost so far says nothing of the version.
  expect(json.missing.map(({ fact }: { fact: string }) => fact)).toEqual(['cost', 'energy'])
  await bed.database
    .updateTable('runs')
    .set({ state: 'succeeded', ended_at: Date.now() / 1000 })
    .where('id', '=', run.id)
    .execute()
  expect(factsOf((await ask('GET', '/models/tiny')).json)).toMatchObject({ cost: [{ cost_usd: expect.any(Number) }, 'ledger'] })
})

test('one that nothing is known of lists what is missing and how to state it; what is no model is no version', async () => {
  await add('bare', { type: 'model' })
  const { json } = await ask('GET', '/models/bare')
  expect(json.lacks).toEqual(['code', 'data', 'configuration', 'environment'])
  expect(json.missing[0]).toMatchObject({ fact: 'code', blocks: true, next: expect.stringContaining('--fact code=') })
  await add('words', { type: 'dataset' })
  expect((await ask('GET', '/models/words')).json).toMatchObject({ status: 409, title: expect.stringContaining('not a model') })
  expect((await ask('GET', '/models/nothing')).status).toBe(404)
  expect((await ask('GET', '/models/..%2Fartifacts')).status).toBe(400)
})

test('the list has models only, newest first, page by page, without what was removed', async () => {
  const [first, second] = [await add('one', { type: 'model' }), await add('two', { type: 'model' })]
  await add('no-model', { type: 'dataset' })
  const page = (await ask('GET', '/models?limit=1')).json
  expect(page).toMatchObject({ items: [{ id: second, lacks: ['code', 'data', 'configuration', 'environment'] }], next: expect.any(String) })
  expect((await ask('GET', `/models?limit=1&cursor=${page.next}`)).json.items).toMatchObject([{ id: first }])
  await add('two', { type: 'model' })
  await ask('DELETE', `/artifacts/${second}`)
  expect((await ask('GET', '/models')).json.items.map(({ id }: { id: string }) => id)).not.toContain(second)
  expect((await ask('GET', '/models?cursor=x')).status).toBe(400)
})
