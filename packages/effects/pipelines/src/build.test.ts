import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { zstdDecompressSync } from 'node:zlib'
import { sha256 } from '@ironlaw/contracts'
import { type DataStep, parseDataSpec } from '@ironlaw/contracts/data-spec'
import { createTokenizer } from '@ironlaw/text'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { build, preparePipeline } from './build.ts'

let root: string
beforeAll(async () => void (root = await mkdtemp(join(tmpdir(), 'pipelines-'))))
afterAll(async () => await rm(root, { recursive: true, force: true }))

/** Sentences of words that depend on the number only. */
function textOf(number: number, words = 60): string {
  let state = number * 2654435761 + 12345
  return Array.from({ length: words }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return `w${state % 5003}`
  }).join(' ')
}

type Corpus = { readonly directory: string; readonly files: number }

/** Documents in files; every seventh is an equal copy, every eleventh nearly one of its neighbour in another file. */
async function writeCorpus(name: string, { files, documents }: { files: number; documents: number }): Promise<Corpus> {
  const directory = join(root, name)
  await mkdir(directory, { recursive: true })
  for (let file = 0; file < files; file += 1) {
    const lines = Array.from({ length: documents }, (_, i) => {
      const number = i * files + file
      const text = number % 7 === 6 ? textOf(number - 3) : number % 11 === 10 ? `${textOf(number - 1)} end` : textOf(number)
      return JSON.stringify({ id: number, text })
    })
    await writeFile(join(directory, `part-${file}.jsonl`), `${lines.join('\n')}\n`)
  }
  return { directory, files }
}

const spec = (steps: unknown[], extra: object = {}) =>
  parseDataSpec(
    { apiVersion: 'ironlaw/v1', kind: 'Data', name: 'corpus', from: [{ name: 'web', files: 'part-*.jsonl' }], steps, ...extra },
    'data.yaml',
  )

async function digestOf(directory: string): Promise<string> {
  const names = (await readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const parts = await Promise.all(
    names
      .map(({ parentPath, name }) => join(parentPath, name))
      .toSorted()
      .map(async (path) => `${path.slice(directory.length)} ${sha256((await readFile(path)).toString('latin1'))}`),
  )
  return parts.join('\n')
}

async function documentsIn(directory: string): Promise<{ id: number; text: string }[]> {
  const names = (await readdir(join(directory, 'documents'))).toSorted()
  const texts = await Promise.all(
    names.map(async (name) => zstdDecompressSync(await readFile(join(directory, 'documents', name))).toString()),
  )
  return texts.flatMap((text) => text.split('\n').filter(Boolean)).map((line) => JSON.parse(line))
}

describe('a dataset', () => {
  test('has one of each group of equal and near-equal documents', async () => {
    const { directory } = await writeCorpus('groups', { files: 3, documents: 60 })
    const to = join(root, 'groups-out')
    const { figures } = await build({ spec: spec([{ deduplicate: {} }]), directory, work: join(root, 'work'), to, workers: 2 })
    const kept = await documentsIn(to)
    const texts = new Set(kept.map(({ text }) => text.replace(/ end$/, '')))
    expect(texts.size).toBe(kept.length)
    const all = new Set(
      Array.from({ length: 180 }, (_, number) => (number % 7 === 6 ? number - 3 : number % 11 === 10 ? number - 1 : number)),
    )
    expect(kept.length).toBeGreaterThanOrEqual(all.size - 2)
    expect(figures.steps[0]).toMatchObject({ step: 'deduplicate', into: { documents: 180 }, kept: { documents: kept.length } })
    const { documents, examples } = figures.steps[0]?.dropped['duplicate'] ?? {}
    expect(documents).toBe(180 - kept.length)
    expect(examples?.length).toBeGreaterThan(2)
    for (const { text } of examples ?? []) expect(text).toMatch(/^w\d+ /)
  })

  test('is the same for any number of workers, and killed in the middle of anything', { timeout: 60_000 }, async () => {
    const { directory } = await writeCorpus('kills', { files: 6, documents: 400 })
    await writeFile(join(directory, 'tokenizer.json'), JSON.stringify(byteTokenizer()))
    const steps: DataStep[] = [
      { redact: { kinds: ['email'] } },
      { deduplicate: { similarity: 0.8, words: 5 } },
      { tokenize: { tokenizer: 'tokenizer.json', sequence: 64, separator: '<end>' } },
    ]
    const alone = join(root, 'kills-1')
    await build({ spec: spec(steps), directory, work: join(root, 'work-1'), to: alone, workers: 1 })
    const three = join(root, 'kills-3')
    await build({ spec: spec(steps), directory, work: join(root, 'work-3'), to: three, workers: 3 })
    expect(await digestOf(three)).toBe(await digestOf(alone))
    const killed = join(root, 'kills-killed')
    const request = { spec: spec(steps), directory, work: join(root, 'work-k'), to: killed, workers: 2 }
    const file = join(root, 'request.json')
    await writeFile(file, JSON.stringify(request))
    for (const after of [300, 500, 700, 900]) {
      const child = spawn(process.execPath, [join(import.meta.dirname, 'build-main.fixture.ts'), file], { detached: true, stdio: 'ignore' })
      const ended = once(child, 'exit')
      await Promise.race([delay(after + Math.random() * 200), ended])
      try {
        process.kill(-(child.pid as number), 'SIGKILL')
      } catch {
        break
      }
      await ended
    }
    await build(request)
    expect(await digestOf(killed)).toBe(await digestOf(alone))
  })

  test('of tokens decodes to the documents, each once and with its record', async () => {
    const { directory } = await writeCorpus('tokens', { files: 2, documents: 20 })
    await writeFile(join(directory, 'tokenizer.json'), JSON.stringify(byteTokenizer()))
    const to = join(root, 'tokens-out')
    const tokenize = { tokenizer: 'tokenizer.json', sequence: 16, separator: '<end>' }
    const { figures } = await build({ spec: spec([{ tokenize }]), directory, work: join(root, 'work'), to, workers: 1 })
    const tokens = await readFile(join(to, 'tokens-00000.bin'))
    const ids = new Uint16Array(tokens.buffer.slice(tokens.byteOffset, tokens.byteOffset + tokens.length))
    const texts = [...ids]
      .map((id) => (id === 256 ? '\u0000' : String.fromCharCode(id)))
      .join('')
      .split('\u0000')
      .slice(0, -1)
    const expected = Array.from({ length: 40 }, (_, number) =>
      number % 7 === 6 ? textOf(number - 3) : number % 11 === 10 ? `${textOf(number - 1)} end` : textOf(number),
    )
    expect(texts.toSorted()).toEqual(expected.toSorted())
    const records = await readFile(join(to, 'records-00000.idx'))
    const [unit, record] = [records.readUInt32LE(0), records.readUInt32LE(4)]
    expect(texts[0]).toBe(expected[record * 2 + unit])
    expect(figures.sources['web']?.out.tokens).toBe(ids.length)
    const tokenizer = await readFile(join(to, 'tokenizer.json'))
    expect(JSON.parse(tokenizer.toString())).toEqual(byteTokenizer())
    const dataset = JSON.parse(await readFile(join(to, 'dataset.json'), 'utf8'))
    expect(dataset.tokenizerDigest).toBe(sha256(tokenizer.toString()))
    const { decode } = createTokenizer(JSON.parse(tokenizer.toString()))
    expect(Buffer.from(decode(ids)).toString().split('<end>').slice(0, -1)).toEqual(texts)
  })

  test('is begun anew where its tokenizer was written again: no part comes from another one', async () => {
    const { directory } = await writeCorpus('other-tokenizer', { files: 1, documents: 5 })
    const path = join(directory, 'tokenizer.json')
    const steps = [{ tokenize: { tokenizer: 'tokenizer.json', sequence: 16, separator: '<end>' } }]
    const idOf = async (): Promise<string> => (await preparePipeline({ spec: spec(steps), directory, work: join(root, 'work') })).id
    await writeFile(path, JSON.stringify(byteTokenizer()))
    const before = await idOf()
    expect(await idOf()).toBe(before)
    await writeFile(path, JSON.stringify({ ...byteTokenizer(), version: '1.0' }))
    expect(await idOf()).not.toBe(before)
  })
})

/** A token a byte, and one that ends a document. */
function byteTokenizer(): object {
  const bytes = Array.from({ length: 256 }, (_, byte) => byte)
  const plain = new Set(bytes.filter((byte) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174))
  const characters = bytes.map((byte) =>
    String.fromCharCode(plain.has(byte) ? byte : 256 + bytes.filter((each) => each < byte && !plain.has(each)).length),
  )
  return {
    added_tokens: [{ id: 256, content: '<end>', single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }],
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    model: { type: 'BPE', vocab: Object.fromEntries(characters.map((character, byte) => [character, byte])), merges: [] },
  }
}

describe('a contract', () => {
  const contract = { expect: { fields: { id: { type: 'integer', least: 0 } } } }

  async function withBadRecord(name: string): Promise<string> {
    const { directory } = await writeCorpus(name, { files: 2, documents: 30 })
    const path = join(directory, 'part-1.jsonl')
    const lines = (await readFile(path, 'utf8')).split('\n')
    lines[11] = JSON.stringify({ id: -4, text: 'poison' })
    await writeFile(path, lines.join('\n'))
    return directory
  }

  test.each([
    ['stops before anything is made where a record violates it, and names record, rule and file', [contract]],
    ['does so too where documents are deduplicated', [contract, { deduplicate: { similarity: 1 } }]],
  ])('%s', async (_, steps) => {
    const directory = await withBadRecord(`stop-${steps.length}`)
    const making = build({ spec: spec(steps), directory, work: join(root, 'work'), to: join(root, 'never'), workers: 2 })
    await expect(making).rejects.toThrow(/part-1\.jsonl: record 12: id has -4, less than 0 \(rule id\.least\)/)
    expect(await readdir(root)).not.toContain('never')
  })

  test('sets records aside up to the share that it allows, and stops beyond', async () => {
    const directory = await withBadRecord('aside')
    const withShare = (violations: number) => spec([{ expect: { ...contract.expect, violations } }])
    const to = join(root, 'aside-out')
    const { figures } = await build({ spec: withShare(0.05), directory, work: join(root, 'work'), to, workers: 1 })
    expect(figures.sources['web']).toMatchObject({ records: 60, violations: 1, out: { documents: 59 } })
    expect(JSON.parse(await readFile(`${to}.set-aside.jsonl`, 'utf8'))).toMatchObject({ record: 12, rule: 'id.least' })
    const making = build({ spec: withShare(0.01), directory, work: join(root, 'work'), to: join(root, 'never'), workers: 1 })
    await expect(making).rejects.toThrow(/source web: 1 of 60 records \(1\.67 %\) violate the contract, more than 1 %/)
  })

  test('holds a source to its mean', async () => {
    const { directory } = await writeCorpus('mean', { files: 1, documents: 10 })
    const steps = [{ expect: { statistics: [{ field: 'id', mean: [100, 200] }] } }]
    const making = build({ spec: spec(steps), directory, work: join(root, 'work'), to: join(root, 'never'), workers: 1 })
    await expect(making).rejects.toThrow(/source web: the mean of id is 4\.5, not between 100 and 200 \(rule id\.mean\)/)
  })
})

describe('a program', () => {
  test('decides which documents are kept', async () => {
    const { directory } = await writeCorpus('program', { files: 1, documents: 20 })
    const code =
      'import sys, json\nfor line in sys.stdin:\n  d = json.loads(line)\n  print(json.dumps({"keep": d["id"] % 2 == 0, "why": "odd"}), flush=True)'
    await writeFile(join(directory, 'odd.py'), code)
    const to = join(root, 'program-out')
    const { figures } = await build({
      spec: spec([{ filter: { command: ['/usr/bin/python3', 'odd.py'] } }]),
      directory,
      work: join(root, 'work'),
      to,
      workers: 1,
    })
    expect((await documentsIn(to)).map(({ id }) => id % 2)).toEqual(Array.from({ length: 10 }, () => 0))
    expect(figures.steps[0]?.dropped['odd']).toMatchObject({ documents: 10 })
  })

  test('that fails fails the pipeline with what it said', async () => {
    const { directory } = await writeCorpus('program-fails', { files: 1, documents: 2 })
    const making = build({
      spec: spec([{ filter: { command: ['/usr/bin/python3', '-c', 'raise SystemExit("no model")'] } }]),
      directory,
      work: join(root, 'work'),
      to: join(root, 'never'),
      workers: 1,
    })
    await expect(making).rejects.toThrow(/ended before it had answered: no model/)
  })
})
