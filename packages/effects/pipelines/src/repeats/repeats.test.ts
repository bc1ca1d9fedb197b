import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { sha256 } from '@ironlaw/contracts'
import { parseDataSpec } from '@ironlaw/contracts/data-spec'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { build } from '../build.ts'

let root: string
beforeAll(async () => void (root = await mkdtemp(join(tmpdir(), 'repeats-'))))
afterAll(async () => await rm(root, { recursive: true, force: true }))

type Record = { readonly id: number; readonly text: string }

/** Numbers below `end`, by a seed. */
function drawFrom(seed: number): (end: number) => number {
  let state = seed >>> 0
  return (end) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * end)
  }
}

/** Few words and passages that come again and again, whole and in part, also inside one document; no two documents are equal. */
function drawFiles(seed: number, documents: number): Record[][] {
  const draw = drawFrom(seed)
  const words = (count: number, vocabulary: number): string[] => Array.from({ length: count }, () => `w${draw(vocabulary)}`)
  const passages = Array.from({ length: 6 }, () => words(8 + draw(40), 1000))
  const passage = (): string[] => {
    const all = passages[draw(passages.length)] as string[]
    const from = draw(2) === 0 ? 0 : draw(all.length)
    return all.slice(from, from + 1 + draw(all.length))
  }
  const text = (): string =>
    Array.from({ length: draw(6) }, () => (draw(3) === 0 ? passage() : draw(8) === 0 ? words(draw(30), 2) : words(draw(25), 1000)))
      .flat()
      .map((word) => (draw(10) === 0 ? word.toUpperCase() : word))
      .join([' ', '\n', ', '][draw(3)])
  const files: Record[][] = [[], [], []]
  for (let id = 0; id < documents; id += 1) files[draw(3)]?.push({ id, text: `${text()} d${id}` })
  return files
}

async function writeFiles(name: string, files: readonly (readonly Record[])[]): Promise<string> {
  const directory = join(root, name)
  await mkdir(directory, { recursive: true })
  for (const [file, records] of files.entries())
    await writeFile(join(directory, `part-${file}.jsonl`), records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  return directory
}

const spec = (deduplicate: object, more: readonly object[] = []) =>
  parseDataSpec(
    {
      apiVersion: 'ironlaw/v1',
      kind: 'Data',
      name: 'corpus',
      from: [{ name: 'web', files: 'part-*.jsonl' }],
      steps: [{ deduplicate }, ...more],
    },
    'data.yaml',
  )

async function recordsIn(directory: string): Promise<Record[]> {
  const names = (await readdir(join(directory, 'documents'))).toSorted()
  const parts = await Promise.all(
    names.map(async (name) => zstdDecompressSync(await readFile(join(directory, 'documents', name))).toString()),
  )
  return parts.flatMap((part) => part.split('\n').filter(Boolean)).map((line) => JSON.parse(line) as Record)
}

/**
 * What no index says: every pair of places is compared word by word, and what they have in common from there on is cut out at the later place where it is at least
 * `least` words.
 */
function withoutRepeats(records: readonly Record[], least: number): Record[] {
  const words = records.map(({ text }) => [...text.matchAll(/\w+/g)])
  const flat = words.flatMap((own, document) => [...own.map(([word]) => word.toLowerCase()), `end of ${document}`])
  const isCut = new Uint8Array(flat.length)
  for (let later = 0; later < flat.length; later += 1)
    for (let earlier = 0; earlier < later; earlier += 1) {
      let common = 0
      while (flat[later + common] !== undefined && flat[earlier + common] === flat[later + common]) common += 1
      if (common >= least) isCut.fill(1, later, later + common)
    }
  let at = 0
  return records.flatMap(({ id, text }, document) => {
    const own = words[document] as RegExpExecArray[]
    const cut = isCut.subarray(at, at + own.length)
    at += own.length + 1
    const end = (word: number): number => own[word + 1]?.index ?? text.length
    const pieces = own.map(({ index }, word) => (cut[word] === 1 ? '' : text.slice(index, end(word))))
    const left = `${text.slice(0, own[0]?.index ?? text.length)}${pieces.join('')}`
    return cut.includes(1) && cut.filter((each) => each === 0).length < 5 ? [] : [{ id, text: left }]
  })
}

describe('repeated text', () => {
  const seeds = [1, Date.now() % 1e9]
  test.each(seeds)('is cut out exactly where comparing all pairs of places says so (seed %i)', { timeout: 30_000 }, async (seed) => {
    const files = drawFiles(seed, 80)
    const directory = await writeFiles(`pairs-${seed}`, files)
    const least = 10 + (seed % 4)
    const to = join(root, `pairs-${seed}-out`)
    const { figures, measured } = await build({
      spec: spec({ similarity: 1, substrings: least }),
      directory,
      work: join(root, 'work'),
      to,
      workers: 1,
    })
    const expected = withoutRepeats(files.flat(), least)
    const found = await recordsIn(to)
    expect(found).toEqual(expected)
    const bytes = found.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
    expect(figures.steps[0]?.kept).toEqual({ documents: found.length, bytes })
    expect(measured.left[0]).toMatchObject({ bytes })
    expect(figures.sources['web']?.out.bytes).toBe(bytes)
  })

  test('is the same for any number of workers, and killed in the middle of anything', { timeout: 200_000 }, async () => {
    const directory = await writeFiles('kills', drawFiles(77, 600))
    const request = (name: string, workers: number) => ({
      spec: spec({ substrings: 12 }, [{ redact: {} }]),
      directory,
      work: join(root, `${name}-work`),
      to: join(root, name),
      workers,
    })
    await build(request('alone', 1))
    const killed = request('killed', 2)
    await killAt(killed, ['sift', 'find'])
    await build({ ...killed, workers: 3 })
    expect(await digestOf(join(root, 'killed'))).toBe(await digestOf(join(root, 'alone')))
  })
})

/** Kills the build, workers and all, each time as soon as the next pass has begun. */
async function killAt(request: { readonly work: string; readonly to: string }, passes: readonly string[]): Promise<void> {
  const file = `${request.to}.json`
  await writeFile(file, JSON.stringify(request))
  for (const pass of passes) {
    const child = spawn(process.execPath, [join(import.meta.dirname, '../build-main.fixture.ts'), file], {
      detached: true,
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    await expect.poll(async () => await hasBegun(request.work, pass), { timeout: 100_000, interval: 2 }).toBe(true)
    process.kill(-(child.pid as number), 'SIGKILL')
    await ended
  }
}

async function hasBegun(work: string, pass: string): Promise<boolean> {
  const [id] = await readdir(work).catch(() => [])
  if (id === undefined) return false
  return await stat(join(work, id, pass)).then(
    () => true,
    () => false,
  )
}

async function digestOf(directory: string): Promise<string> {
  const entries = (await readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name)).toSorted()
  const parts = await Promise.all(
    paths.map(async (path) => `${path.slice(directory.length)} ${sha256((await readFile(path)).toString('latin1'))}`),
  )
  return parts.join('\n')
}
