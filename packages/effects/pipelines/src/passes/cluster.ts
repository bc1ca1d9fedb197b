// Which documents are duplicates of each other, over all units. First each partition of keys by itself: documents that share a key are joined by an edge. Then
// once over all edges: of each connected group the document with the smallest content number is kept. Neither depends on the order of anything.

import { readFile } from 'node:fs/promises'
import { IronlawError } from '@ironlaw/contracts'
import { components } from '@ironlaw/text'
import type { Duplicates, Pipeline } from '../pipeline.ts'
import { readJson, readPart, writeContent, writeJson } from '../work-directory.ts'
import type { Examined } from './examine.ts'
import { ENTRY_BYTES, ENTRY_WORDS } from './keys.ts'

/** Numbers of 32 bits name documents; more would need twice the memory. */
const MOST_DOCUMENTS = 2 ** 32 - 1
/** A disk makes several files durable in the time of one. */
const WRITTEN_AT_ONCE = 32

export type Numbering = {
  /** Number of the first document of each unit; at last how many there are. */
  readonly first: readonly number[]
  readonly examined: readonly Examined[]
}

export async function numberDocuments({ units, files }: Pipeline): Promise<Numbering> {
  const examined = await Promise.all(units.map(async ({ number }) => await readJson<Examined>(files.examined(number))))
  const first = [0]
  for (const { documents } of examined) first.push((first.at(-1) as number) + documents)
  const total = first.at(-1) as number
  if (total > MOST_DOCUMENTS)
    throw new IronlawError('IL_PIPELINE', {
      problem: `${total} documents are to be deduplicated; at most ${MOST_DOCUMENTS} can be`,
      next: 'divide the sources into two specs, and deduplicate their results once more by exact text',
    })
  return { first, examined }
}

export async function matchPartition({ units, files }: Pipeline, partition: number, { first, examined }: Numbering): Promise<void> {
  const from = performance.now()
  const counts = examined.map(({ partitions }) => ((partitions[partition + 1] as number) - (partitions[partition] as number)) / ENTRY_BYTES)
  const table = firstDocuments(counts.reduce((sum, count) => sum + count, 0))
  const edges: number[] = []
  const chunks: Uint32Array[] = []
  for (const { number } of units) {
    const count = counts[number] as number
    if (count === 0) continue
    const start = examined[number]?.partitions[partition] as number
    const words = new Uint32Array(await readPart(files.keys(number), start, ENTRY_BYTES * count))
    for (let at = 0; at < words.length; at += ENTRY_WORDS) {
      const document = (first[number] as number) + (words[at + 2] as number)
      const earlier = table(words[at] as number, words[at + 1] as number, document)
      if (earlier !== document) edges.push(earlier, document)
    }
    chunks.push(Uint32Array.from(edges.splice(0)))
  }
  await writeJson(files.matched(partition), { seconds: (performance.now() - from) / 1000 })
  await writeContent(files.edges(partition), ...chunks.map((chunk) => new Uint8Array(chunk.buffer)))
}

/** By key the document that came with it first: a hash table with open addresses, half full at most. */
function firstDocuments(entries: number): (high: number, low: number, document: number) => number {
  const size = 2 ** Math.ceil(Math.log2(Math.max(2, 2 * entries)))
  const highs = new Uint32Array(size)
  const lows = new Uint32Array(size)
  const documents = new Uint32Array(size)
  const taken = new Uint8Array(size)
  return (high, low, document) => {
    let place = (Math.imul(low, 0x9e3779b1) ^ high) & (size - 1)
    while (taken[place] === 1) {
      if (highs[place] === high && lows[place] === low) return documents[place] as number
      place = (place + 1) & (size - 1)
    }
    taken[place] = 1
    highs[place] = high
    lows[place] = low
    documents[place] = document
    return document
  }
}

export const wordsOf = async (path: string): Promise<Uint32Array> => {
  const bytes = await readFile(path)
  return new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
}

export type Clustered = { readonly documents: number; readonly duplicates: number; readonly clusters: number; readonly seconds: number }

/** For each unit its duplicates: number in the unit, and the number over all units of the document that is kept instead. */
export async function clusterDocuments(pipeline: Pipeline, { first, examined }: Numbering): Promise<void> {
  const { units, files } = pipeline
  const from = performance.now()
  const total = first.at(-1) as number
  const edges: Uint32Array[] = []
  for (let partition = 0; partition < (pipeline.duplicates as Duplicates).partitions; partition += 1)
    edges.push(await wordsOf(files.edges(partition)))
  const group = components(total, edges)
  const orders = new Float64Array(total)
  for (const { number } of units) orders.set(await readOrders(files.orders(number), examined[number]?.documents ?? 0), first[number])
  const kept = survivors(group, orders)
  const found = { duplicates: 0, clusters: 0 }
  const isKept = new Uint8Array(total)
  const duplicatesOf = (unit: number): Uint8Array => {
    const pairs: number[] = []
    for (let document = first[unit] as number; document < (first[unit + 1] as number); document += 1) {
      const survivor = kept[group[document] as number] as number
      if (survivor === document) continue
      pairs.push(document - (first[unit] as number), survivor)
      found.clusters += 1 - (isKept[survivor] as number)
      isKept[survivor] = 1
    }
    found.duplicates += pairs.length / 2
    return new Uint8Array(Uint32Array.from(pairs).buffer)
  }
  for (let at = 0; at < units.length; at += WRITTEN_AT_ONCE)
    await Promise.all(
      units.slice(at, at + WRITTEN_AT_ONCE).map(async ({ number }) => await writeContent(files.duplicates(number), duplicatesOf(number))),
    )
  const clustered: Clustered = { documents: total, ...found, seconds: (performance.now() - from) / 1000 }
  await writeJson(files.clustered, clustered)
}

/** By group the document with the smallest content number; of equal ones the first. */
function survivors(group: Uint32Array, orders: Float64Array): Uint32Array {
  const kept = Uint32Array.from(group, (_, document) => document)
  for (let document = 0; document < group.length; document += 1) {
    const of = group[document] as number
    if ((orders[document] as number) < (orders[kept[of] as number] as number)) kept[of] = document
  }
  return kept
}

async function readOrders(path: string, documents: number): Promise<Float64Array> {
  const bytes = await readFile(path)
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + 8 * documents))
}

export async function readLengths(path: string, documents: number): Promise<Uint32Array> {
  const bytes = await readFile(path)
  return new Uint32Array(bytes.buffer.slice(bytes.byteOffset + 8 * documents, bytes.byteOffset + 12 * documents))
}
