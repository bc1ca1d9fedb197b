// Deduplication of real text: pairs that share a key against all pairs that brute force finds, and what the pipeline kept against the groups of those pairs.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bandKeys, components, signature } from '@ironlaw/text'
import { similarPairs } from './brute-force.ts'
import { linesOut, runBuild, writeSpec } from './builds.ts'
import { type Goal, none } from './goals.ts'
import { realTexts } from './real-text.ts'
import { recallGoals } from './truth.ts'

const LEAST_SIMILARITY = 0.3

/** Every so manieth real document, equal ones once. */
function sampleTexts(count: number): string[] {
  const all = [...new Set(Array.from(realTexts(), ({ text }) => text))]
  const step = Math.max(1, Math.floor(all.length / count))
  return all.filter((_, i) => i % step === 0).slice(0, count)
}

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

export async function realRecallGoals(directory: string, count: number): Promise<Goal[]> {
  const texts = sampleTexts(count)
  const keys = texts.map((text) => bandKeys(signature(text)))
  const keySets = keys.map((own) => new Set(own))
  const findings = similarPairs(texts, LEAST_SIMILARITY).map(({ a, b, similarity }) => ({
    similarity,
    found: (keys[a] ?? []).some((key) => keySets[b]?.has(key) === true),
  }))
  const kept = await keptDocuments(directory, texts)
  const groups = Map.groupBy(components(texts.length, [keyPairs(keys)]).entries(), ([, root]) => root)
  const wrong = [...groups].filter(([, members]) => members.filter(([document]) => kept.has(document)).length !== 1)
  // Pairs of real text come in families, so chance is larger than for independent pairs: only the whole is held to the law.
  const [recall, ...bins] = recallGoals(`real text, ${texts.length} documents`, findings)
  const precision = bins.at(-1)
  return [
    ...[recall, precision].filter((goal) => goal !== undefined),
    none(
      'groups of real text without exactly one that came out',
      wrong.map(([root]) => String(root)),
      groups.size,
    ),
  ]
}
