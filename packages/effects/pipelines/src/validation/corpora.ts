// Corpora that no rate and no threshold was fitted to: text of made-up words with copies, near-copies and poor documents, in amounts and lengths that are drawn
// anew for each.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { type DataSpec, parseDataSpec } from '@ironlaw/contracts/data-spec'

export type DrawnCorpus = { readonly spec: DataSpec; readonly directory: string; readonly traits: Traits }

export type Traits = {
  readonly files: number
  readonly compressed: boolean
  /** Of documents: equal copies, near-copies, poor ones. */
  readonly copies: number
  readonly near: number
  readonly poor: number
  /** Share of words that a near-copy changes. */
  readonly edits: number
  /** Median words of a document, and the spread of their logarithm. */
  readonly words: number
  readonly spread: number
  readonly similarity: number
}

type Random = () => number

/** Numbers from 0 up to 1. */
function randomNumbers(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const VOCABULARY = 20_000
const STOP_WORDS = ['the', 'of', 'and', 'to', 'that', 'with', 'be', 'have']
const SYLLABLES = ['ka', 'lo', 'mi', 'ten', 'ra', 'so', 'vel', 'dor', 'in', 'pe', 'sta', 'qui', 'bon', 'er', 'u', 'al']

/** Frequent words are short. */
const wordOf = (rank: number): string => {
  if (rank < STOP_WORDS.length) return STOP_WORDS[rank] as string
  let word = ''
  for (let rest = rank; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) word += SYLLABLES[rest % SYLLABLES.length]
  return word
}

const WORDS = Array.from({ length: VOCABULARY }, (_, rank) => wordOf(rank))

/** By Zipf's law. */
const drawWord = (random: Random): string =>
  WORDS[Math.min(VOCABULARY - 1, Math.floor(Math.exp(random() * Math.log(VOCABULARY)) - 1))] as string

const normal = (random: Random): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

function prose(random: Random, count: number): string {
  const words: string[] = []
  for (let i = 0; i < count; i += 1) words.push(i % 14 === 13 ? `${drawWord(random)}.${i % 56 === 55 ? '\n' : ''}` : drawWord(random))
  return `${words.join(' ')}.`
}

const edited = (random: Random, text: string, share: number): string =>
  text.replaceAll(/\S+/g, (word) => (random() < share ? drawWord(random) : word))

const poorText = (random: Random): string =>
  Array.from({ length: 5 + Math.floor(60 * random()) }, () => (random() < 0.5 ? '#' : drawWord(random))).join(' ')

function drawTraits(random: Random): Traits {
  return {
    files: 3 + Math.floor(6 * random()),
    compressed: random() < 0.3,
    copies: 0.4 * random(),
    near: 0.3 * random(),
    poor: 0.4 * random(),
    edits: 0.005 + 0.06 * random(),
    words: 80 * Math.exp(2 * random()),
    spread: 0.3 + 0.8 * random(),
    similarity: [0.7, 0.8, 0.9, 1][Math.floor(4 * random())] as number,
  }
}

const RECENT = 400

/** Writes one corpus of about so many bytes, and the spec that makes a dataset of it. */
export async function drawCorpus(directory: string, seed: number, bytes: number): Promise<DrawnCorpus> {
  const random = randomNumbers(seed)
  const traits = drawTraits(random)
  const lines: string[][] = Array.from({ length: traits.files }, () => [])
  const earlier: string[] = []
  for (let size = 0, id = 0; size < bytes; id += 1) {
    const text = drawText(random, traits, earlier)
    // Copies of copies: the older a text, the more of them it has.
    if (earlier.length < RECENT) earlier.push(text)
    else if (random() < 0.2) earlier[Math.floor(RECENT * random())] = text
    const line = JSON.stringify({ id, text })
    size += line.length + 1
    lines[Math.floor(traits.files * random())]?.push(line)
  }
  await mkdir(directory, { recursive: true })
  for (const [file, each] of lines.entries()) {
    const content = Buffer.from(`${each.join('\n')}\n`)
    const name = `part-${file}.jsonl${traits.compressed ? '.zst' : ''}`
    await writeFile(join(directory, name), traits.compressed ? zstdCompressSync(content) : content)
  }
  await writeFile(join(directory, 'tokenizer.json'), JSON.stringify(wordPieces()))
  return { spec: specOf(traits), directory, traits }
}

function drawText(random: Random, { copies, near, poor, edits, words, spread }: Traits, earlier: readonly string[]): string {
  const kind = random()
  const pick = earlier[Math.floor(earlier.length * random() ** 2)]
  if (pick !== undefined && kind < copies) return pick
  if (pick !== undefined && kind < copies + near) return edited(random, pick, edits)
  if (random() < poor) return poorText(random)
  return prose(random, Math.max(8, Math.round(words * Math.exp(spread * normal(random)))))
}

const specOf = ({ similarity }: Traits): DataSpec =>
  parseDataSpec(
    {
      apiVersion: 'ironlaw/v1',
      kind: 'Data',
      name: 'validation',
      from: [{ name: 'drawn', files: 'part-*.jsonl*' }],
      steps: [
        { keep: { quality: ['gopher-quality'] } },
        { deduplicate: { similarity } },
        { tokenize: { tokenizer: 'tokenizer.json', sequence: 512, separator: '<end>' } },
      ],
    },
    'validation.yaml',
  )

const MERGED_WORDS = 400

/** Byte-pair encoding that knows the frequent words: each is merged from its beginning on. */
function wordPieces(): object {
  const letters = [...'abcdefghijklmnopqrstuvwxyz.#ĠĊ']
  const vocab = new Map(letters.map((letter, id) => [letter, id]))
  const merges: string[] = []
  for (const word of WORDS.slice(0, MERGED_WORDS)) {
    let piece = 'Ġ'
    for (const letter of word) {
      const longer = piece + letter
      if (!vocab.has(longer)) {
        vocab.set(longer, vocab.size)
        merges.push(`${piece} ${letter}`)
      }
      piece = longer
    }
  }
  const end = { id: vocab.size, content: '<end>', single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }
  return {
    added_tokens: [end],
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    model: { type: 'BPE', vocab: Object.fromEntries(vocab), merges },
  }
}
