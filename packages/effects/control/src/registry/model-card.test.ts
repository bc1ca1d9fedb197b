import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiBed, apiBed, BED_TIMEOUT_MS } from '../../test/api-bed.ts'
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

const FIXTURES = join(import.meta.dirname, '../../../../../tests/fixtures')
const EVALUATION = readFileSync(join(FIXTURES, 'evaluations/after/evaluation.json'), 'utf8')
const RECORD = readFileSync(join(FIXTURES, 'models/candidate/model-version.json'), 'utf8')

const card = async (model: string, format = '') => (await registry.ask('GET', `/models/${model}/card${format}`)).json

test('a card has the facts of the registry, scores from the evaluation itself, the data that the run used and what was decided', async () => {
  const corpus = await registry.add('corpus', { type: 'dataset' })
  const run = await bed.newRun({ uses: ['corpus'] })
  const model = await registry.add('chat', {
    type: 'model',
    run: run.id,
    facts: { code: 'f00', environment: 'image@sha256:1', licence: 'apache-2.0' },
    files: { 'model-version.json': RECORD },
  })
  // What somebody states as a score is no score: it is in the file of the evaluation.
  const quality = await registry.add('quality', {
    type: 'evaluation',
    facts: { model, exact_match: 0.999 },
    files: { 'evaluation.json': EVALUATION },
  })
  await registry.add('notes', { type: 'evaluation', facts: { model }, files: { 'evaluation.json': '{"score":' } })
  await registry.ask('POST', '/models/chat/decisions', { answer: 'released', seen: 0, why: 'as good' })
  const { of, file, media_type, text, missing } = await card('chat')
  expect([of, file, media_type]).toEqual([model, 'card.md', 'text/markdown'])
  expect(text).toContain(
    `| 0.864 | 0.8244 to 0.8958 | vllm 0.11.0, template none, temperature 0 | evaluation quality (${quality.slice(0, 12)}) |`,
  )
  expect(text).not.toContain('0.999')
  expect(text).toContain('Left out: notes holds no evaluation.json that can be read')
  expect(text).toContain(`| ${corpus} | corpus |`)
  expect(text).toContain(`| Data | ${corpus} | what run ${run.id} used |`)
  expect(text).toMatch(/\| 1\. released \|.*\| as good \|/)
  expect(missing).toContainEqual({ what: 'contact', next: expect.stringContaining('--fact contact=') })
  expect(JSON.parse((await card('chat', '?format=cyclonedx')).text)).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { name: 'chat', version: model, modelCard: { modelParameters: { datasets: [{ ref: `dataset:${corpus}` }] } } } },
    formulation: [{ workflows: [{ uid: run.id }] }],
  })
  expect((await card('chat', '?format=hf')).text).toMatch(/^---\nlicense: "apache-2.0"\n/)
  expect((await card('chat', '?format=annex-iv')).missing).toContainEqual(expect.objectContaining({ what: 'oversight' }))
})

test('one that nothing is known of has a card that says so; another format, a dataset and an unknown name are refused', async () => {
  await registry.add('bare', { type: 'model' })
  expect((await card('bare')).text).toContain('| Code | yes |')
  expect(await card('bare', '?format=pdf')).toMatchObject({ status: 400 })
  expect(await card('corpus')).toMatchObject({ status: 409, title: expect.stringContaining('not a model') })
  expect(await card('nothing')).toMatchObject({ status: 404 })
})
