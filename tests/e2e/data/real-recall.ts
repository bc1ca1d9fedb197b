// Deduplication of real text with edits: pairs that share a key against the law, by their exact similarity, and what the pipeline kept against the groups of all texts
// that share keys.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bandKeys, components, signature } from '@ironlaw/text'
import { lawOf, precisionOf, recallOf, runsOf, similarityOf, similarPairs } from './brute-force.ts'
import { linesOut, runBuild, writeSpec } from './builds.ts'
import { figure, type Goal, none } from './goals.ts'
import { hashOf } from './prose.ts'
import { realTexts } from './real-text.ts'
import { ALIKE, recallGoals, SHAPE } from './truth.ts'

/** Of edits, and of pairs that are there by themselves. */
const LEAST_SIMILARITY = 0.5
const LEAST_OWN_SIMILARITY = 0.3
const MOST_STANDARD_ERROR = 0.01
const RUN_WORDS = 5
const LEAST_WORDS = 100

/** Every so manieth real document, equal ones once. */
function sampleTexts(count: number): string[] {
  const all = [...new Set(Array.from(realTexts(), ({ text }) => text))].filter((text) => text.split(/\s+/).length >= LEAST_WORDS)
  const step = Math.max(1, Math.floor(all.length / count))
  return all.filter((_, i) => i % step === 0).slice(0, count)
}

/** About so similar: single words are replaced by others of the same text, each of which changes the runs that hold it. */
function edited(text: string, { seed, similarity }: { readonly seed: number; readonly similarity: number }): string {
  const parts = text.split(/(\s+)/)
  const words = Math.ceil(parts.length / 2)
  const changes = Math.max(1, Math.round((words * (1 - similarity)) / (1 + similarity) / RUN_WORDS))
  for (let change = 0; change < changes; change += 1)
    parts[2 * (hashOf(seed, change, 1) % words)] = parts[2 * (hashOf(seed, change, 2) % words)] as string
  return parts.join('')
}

type EditedPair = { readonly base: string; readonly changed: string }

/**
 * Real text with edits of which the similarity is known. Pairs that real text has of its own come in families, such as a licence in a hundred packages: what
 * happens to one happens to all, so even thousands of them do not tell a share within 0.02. Here every pair is of another document.
 */
const editedPairs = (texts: readonly string[]): EditedPair[] =>
  texts.map((base, i) => {
    const similarity = LEAST_SIMILARITY + ((1 - LEAST_SIMILARITY) * hashOf(i, 3)) / 2 ** 32
    return { base, changed: edited(base, { seed: i, similarity }) }
  })

/** Groups of documents that share keys, as pairs of neighbours in the list of each key. */
function keyPairs(keys: readonly BigUint64Array[]): Uint32Array {
  const last = new Map<bigint, number>()
  const pairs: number[] = []
  for (const [document, own] of keys.entries())
    for (const key of own) {
      const other = last.get(key)
      if (other !== undefined && other !== document) pairs.push(other, document)
      last.set(key, document)
    }
  return Uint32Array.from(pairs)
}

async function keptDocuments(directory: string, texts: readonly string[]): Promise<Set<number>> {
  const source = join(directory, 'real')
  mkdirSync(source)
  writeFileSync(join(source, 'real.jsonl'), texts.map((text, id) => `${JSON.stringify({ id, text })}\n`).join(''))
  const spec = writeSpec(source, { name: 'real', from: [{ name: 'real', files: 'real.jsonl' }], steps: [{ deduplicate: {} }] })
  const to = join(directory, 'real-out')
  await runBuild({ spec, work: join(directory, 'work'), to, workers: 2 })
  const lines = [...linesOut(to)]
  for (const path of [source, to]) rmSync(path, { recursive: true })
  return new Set(lines.map((line) => (JSON.parse(line) as { readonly id: number }).id))
}

const isFound = (a: BigUint64Array, b: BigUint64Array): boolean => {
  const keys = new Set(a)
  return b.some((key) => keys.has(key))
}

/** Of a share among so many independent pairs. */
const standardError = ({ law, pairs }: { readonly law: number; readonly pairs: number }): number =>
  Math.sqrt((law * (1 - law)) / Math.max(1, pairs))

/** Pairs that real text has of its own, held to the law as a whole, with the error that comes of taking each family of texts for one draw. */
function ownPairs(texts: readonly string[], keys: readonly BigUint64Array[]): Goal[] {
  const pairs = similarPairs(texts, LEAST_OWN_SIMILARITY).map(({ a, b, similarity }) => ({
    a,
    b,
    similarity,
    found: isFound(keys[a] as BigUint64Array, keys[b] as BigUint64Array),
  }))
  const family = components(texts.length, [Uint32Array.from(pairs.flatMap(({ a, b }) => [a, b]))])
  const families = [...Map.groupBy(pairs, ({ a }) => family[a] as number).values()]
  const off = families.map((own) => own.reduce((sum, { found, similarity }) => sum + Number(found) - lawOf(similarity, SHAPE), 0))
  const error = Math.sqrt(off.reduce((sum, each) => sum + each ** 2, 0)) / Math.max(1, pairs.length)
  const goals = recallGoals('real text of its own', pairs)
  return [
    ...[goals.at(0), goals.at(-1)].filter((goal) => goal !== undefined),
    figure(`  in ${families.length} families`, `standard error of recall ${error.toFixed(3)}`),
  ]
}

export async function realRecallGoals(directory: string, count: number): Promise<Goal[]> {
  const pairs = editedPairs(sampleTexts(count))
  const texts = pairs.flatMap(({ base, changed }) => [base, changed])
  const keys = texts.map((text) => bandKeys(signature(text)))
  const findings = pairs.map(({ base, changed }, i) => ({
    similarity: similarityOf(runsOf(base), runsOf(changed)),
    found: isFound(keys[2 * i] as BigUint64Array, keys[2 * i + 1] as BigUint64Array),
  }))
  const kept = await keptDocuments(directory, texts)
  const groups = Map.groupBy(components(texts.length, [keyPairs(keys)]).entries(), ([, root]) => root)
  const wrong = [...groups].filter(([, members]) => members.filter(([document]) => kept.has(document)).length !== 1)
  const errors = [recallOf(findings, SHAPE), precisionOf(findings, { ...SHAPE, least: ALIKE })].map(standardError)
  return [
    {
      what: `edited real text: standard errors of recall and precision over ${pairs.length} pairs`,
      measured: errors.map((error) => error.toFixed(4)).join(' and '),
      goal: `at most ${MOST_STANDARD_ERROR}`,
      isMet: Math.max(...errors) <= MOST_STANDARD_ERROR,
    },
    ...recallGoals('edited real text', findings),
    ...ownPairs(
      pairs.map(({ base }) => base),
      keys.filter((_, i) => i % 2 === 0),
    ),
    none(
      'groups of real text without exactly one that came out',
      wrong.map(([root]) => String(root)),
      groups.size,
    ),
  ]
}
