// A real control plane with datasets that the pipeline made: two versions of one, a smaller one, an order over both, and a run that used them.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addFiles, openArtifacts, openStorage } from '@ironlaw/artifacts'
import { artifactId } from '@ironlaw/contracts/artifact'
import { parseDataOrder } from '@ironlaw/contracts/data-order'
import { parseDataSpec } from '@ironlaw/contracts/data-spec'
import { sampleTrainingPlan } from '@ironlaw/contracts/sample-plan'
import { parseTokenDataset, tokenDatasetDigest } from '@ironlaw/contracts/token-dataset'
import { build } from '@ironlaw/pipelines'
import { type ControlPlane, startControlPlane } from '../control-plane.ts'
import { sparePort } from './control-plane.ts'

export type DatasetPlane = ControlPlane & {
  readonly run: string
  /** By name: where their pages are. */
  readonly places: Readonly<Record<'corpus' | 'order', string>>
}

export async function startPlaneWithDatasets(): Promise<DatasetPlane> {
  const plane = await startControlPlane({ nodes: 1, slots: 2, port: await sparePort() })
  const folder = mkdtempSync(join(tmpdir(), 'ironlaw-datasets-'))
  const ask = askOf(plane)
  const storage: { readonly url: string } = await ask('GET', '/v1/artifact-storage')
  const artifacts = await openArtifacts(openStorage(storage.url))
  const add = async (name: string, directory: string): Promise<string> => {
    const manifest = await addFiles(artifacts, { directory, type: 'dataset' })
    await ask('POST', '/v1/projects/default/artifacts', { manifest, name })
    return artifactId(manifest)
  }
  writeSources(folder)
  await add('corpus', await makeDataset(folder, 'first', [{ tokenize }]))
  const corpus = await add('corpus', await makeDataset(folder, 'corpus', STEPS))
  await add('stories', await makeDataset(folder, 'stories', [{ sample: { stories: 1, web: 0, forum: 0 } }, { tokenize }]))
  const order = await add('order', writeOrder(folder))
  const run: { readonly id: string } = await ask('POST', '/v1/runs', {
    name: 'tiny',
    plan: sampleTrainingPlan({ globalBatch: 2 }),
    program: { argv: ['steps.py'], directory: import.meta.dirname },
    shape: { nodes: 1, processesPerNode: 2 },
    uses: ['order', 'corpus', 'stories'],
  })
  rmSync(folder, { recursive: true })
  const place = (artifact: string): string => `#/artifacts?artifact=${artifact}&of=default`
  return { ...plane, run: run.id, places: { corpus: place(corpus), order: place(order) } }
}

const askOf =
  ({ api, token }: ControlPlane) =>
  async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await fetch(`${api}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(await answer.text())
    return (await answer.json()) as Answer
  }

const tokenize = { tokenizer: 'tokenizer.json', sequence: 64, separator: '<end>' }

const STEPS = [
  { expect: { fields: { score: { type: 'number', most: 1 } }, violations: 0.1 } },
  { redact: { kinds: ['email'] } },
  { keep: { quality: ['gopher-quality'] } },
  { deduplicate: {} },
  { tokenize },
]

async function makeDataset(directory: string, name: string, steps: readonly object[]): Promise<string> {
  const spec = parseDataSpec(
    {
      apiVersion: 'ironlaw/v1',
      kind: 'Data',
      name,
      from: [
        { name: 'web', files: 'web.jsonl' },
        { name: 'forum', files: 'answers-of-a-forum-about-the-repair-of-very-old-and-rather-heavy-machines.jsonl' },
        { name: 'stories', files: 'stories.jsonl', origin: 'synthetic', generation: 1 },
      ],
      steps,
    },
    'data.yaml',
  )
  const to = join(directory, 'made', name)
  await build({ spec, directory, work: join(directory, 'work'), to, workers: 1 })
  return to
}

const WORDS =
  'the of and to that with be have river stone bridge builders carry water over valley in spring when snow melts from hills'.split(' ')

/** Sentences that depend on the number only. */
function textOf(number: number, words: number): string {
  let state = number * 2_654_435_761 + 12_345
  const picked = Array.from({ length: words }, (_, at) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    const word = WORDS[(state >>> 8) % WORDS.length] ?? ''
    return at % 12 === 11 ? `${word}.` : word
  })
  return `${picked.join(' ')}.`
}

const DOCUMENTS = 120

/** Some are too short for the rules, some are copies, some violate the contract, some hold an address. */
function writeSources(folder: string): void {
  const line = (number: number, words: number): string => {
    const text = number % 9 === 8 ? 'Read more' : textOf(number % 10 === 7 ? number - 5 : number, words)
    return JSON.stringify({ text: number % 13 === 4 ? `${text} Write to ada@example.org.` : text, score: number % 40 === 33 ? 7 : 0.5 })
  }
  const write = (file: string, words: (number: number) => number, from: number): void =>
    writeFileSync(join(folder, file), Array.from({ length: DOCUMENTS }, (_, at) => `${line(from + at, words(at))}\n`).join(''))
  write('web.jsonl', (at) => 60 + 4 * at, 0)
  write('answers-of-a-forum-about-the-repair-of-very-old-and-rather-heavy-machines.jsonl', (at) => 55 + (at % 40), 1000)
  write('stories.jsonl', (at) => 200 + at, 2000)
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(byteTokenizer()))
}

/** A token a byte, and one that ends a document. */
function byteTokenizer(): object {
  const isPlain = (byte: number): boolean => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
  let others = 0
  const characters = Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPlain(byte) ? byte : 256 + others++))
  return {
    added_tokens: [{ id: 256, content: '<end>', single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }],
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    model: { type: 'BPE', vocab: Object.fromEntries(characters.map((character, byte) => [character, byte])), merges: [] },
  }
}

function writeOrder(folder: string): string {
  const sourceOf = (name: string) => {
    const file = join(folder, 'made', name, 'dataset.json')
    const dataset = parseTokenDataset(JSON.parse(readFileSync(file, 'utf8')), file)
    return { name, samples: dataset.samples, digest: tokenDatasetDigest(dataset) }
  }
  const order = parseDataOrder(
    {
      apiVersion: 'ironlaw/v1',
      kind: 'DataOrder',
      seed: 7,
      sources: [sourceOf('corpus'), sourceOf('stories')],
      phases: [
        { until: 400, sources: [{ source: 'corpus', weight: 1 }] },
        {
          until: 1200,
          sources: [
            { source: 'corpus', weight: 3 },
            { source: 'stories', weight: 1 },
          ],
        },
        {
          sources: [
            { source: 'corpus', weight: 1 },
            { source: 'stories', weight: 3 },
          ],
        },
      ],
    },
    'data-order.json',
  )
  const directory = join(folder, 'order')
  mkdirSync(directory)
  writeFileSync(join(directory, 'data-order.json'), JSON.stringify(order))
  return directory
}
