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

const FIGURES = JSON.stringify({
  steps: [
    {
      step: 'keep gopher',
      into: { documents: 1200, bytes: 5_000_000 },
      kept: { documents: 900, bytes: 4_000_000 },
      dropped: {
        'few words': { documents: 250, bytes: 600_000, examples: [] },
        'many | symbols': { documents: 50, bytes: 400_000, examples: [] },
      },
    },
  ],
  sources: {
    web: { records: 1203, violations: 3, fields: {}, out: { documents: 900, bytes: 4_000_000, tokens: 0 }, lengths: [] },
  },
})
const SOURCES = JSON.stringify({
  sources: [{ name: 'web', origin: 'synthetic', generation: 2 }],
  units: [0, 1, 2, 3, 3].map((file) => ({ source: 0, file: `web-${file}.jsonl`, start: 0 })),
})

test('a datasheet has what the build counted, what came of the dataset, and what nobody stated', async () => {
  const built = await registry.add('built', {
    type: 'dataset',
    facts: { licence: 'CC-BY-4.0 <script>', motivation: 'letters' },
    files: { 'figures.json': FIGURES, 'sources.json': SOURCES },
  })
  const run = await bed.newRun({ uses: ['built'] })
  const model = await registry.add('letters', { type: 'model', run: run.id })
  const { of, file, text, missing } = (await registry.ask('GET', '/artifacts/built/datasheet')).json
  expect([of, file]).toEqual([built, 'datasheet.md'])
  expect(text).toContain('| web | synthetic, generation 2 | 1,203 | 3 | 900 | 4 MB |  |')
  expect(text).toContain('- web: web-0.jsonl, web-1.jsonl, web-2.jsonl, 1 more')
  expect(text).toContain(String.raw`| keep gopher | 1,200 | 900 | 75.0 % | 80.0 % | few words 250, many \| symbols 50 |`)
  expect(text).toContain(`| run | ${run.id} |`)
  expect(text).toContain(`| model | ${model} | letters |`)
  expect(text).toContain('| Licence | CC-BY-4.0 &lt;script&gt; |')
  expect(missing.map(({ what }: { what: string }) => what)).toEqual(['collection', 'consent', 'intended_use', 'limitations', 'contact'])
})

test('a dataset without figures that can be read has a datasheet that says so; what is no dataset is refused', async () => {
  await registry.add('plain', { type: 'dataset', files: { 'figures.json': '{"steps": 3}' } })
  const { text, missing } = (await registry.ask('GET', '/artifacts/plain/datasheet')).json
  expect(text).toContain('| steps and sources |')
  expect(missing).toContainEqual({ what: 'steps and sources', next: 'ironlaw data build SPEC' })
  expect((await registry.ask('GET', '/artifacts/bare/datasheet')).json).toMatchObject({
    status: 409,
    title: expect.stringContaining('not a dataset'),
  })
})
