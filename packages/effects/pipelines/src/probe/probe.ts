// A look at a corpus before anything is made of it. Every document is read once and gets an anchor, which its near-duplicates share; the documents of one anchor
// are a cluster. Clusters are in the sample as a whole, and the sample runs through the steps of the spec: what is left of it, and how long each step
// took, is what the planner predicts from. A random sample of documents would see one of two duplicates, and call it no duplicate.

import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { dirname } from 'node:path'
import type { DataProbe } from '@ironlaw/contracts/data-probe'
import { dataSpecDigest } from '@ironlaw/contracts/data-spec'
import { contentNumbers } from '../content.ts'
import { machineName } from '../machine.ts'
import { documentBatches } from '../passes/flow.ts'
import { type Pipeline, sourceOf } from '../pipeline.ts'
import { createTally } from '../tally.ts'
import type { Unit } from '../unit.ts'
import { readWork, rereadWork } from '../work-names.ts'
import { loadTokenizer, tokenBytes } from '../tokenizing.ts'
import { anchorOf } from './anchor.ts'
import { type HeavyClusters, heavyClusters } from './heavy.ts'
import { runSample } from './run-sample.ts'
import type { Sampled } from './sampled.ts'
import { measureWriting } from './writing.ts'

export type ProbeOptions = {
  /** Of the clusters. */
  readonly share: number
  readonly onProgress?: (bytes: number) => void
}

/** What the first reading finds of each document, over all units. */
type Anchors = { readonly anchors: Float64Array; readonly bytes: Uint32Array; readonly firstOfUnit: readonly number[] }

/** The sample of a corpus, which steps can run through again and again. */
export type CorpusSample = {
  readonly share: number
  readonly contents: readonly Sampled[]
  readonly heavy: HeavyClusters
  readonly corpus: DataProbe['corpus']
  readonly reading: Pick<DataProbe['reading'], 'stored_bytes' | 'time_s'>
  readonly read_bytes_per_s: number
  readonly time_s: number
}

export async function sampleCorpus(pipeline: Pipeline, { share, onProgress }: ProbeOptions): Promise<CorpusSample> {
  const from = performance.now()
  const reading = { stored_bytes: 0, time_s: 0 }
  const found = await readAnchors(pipeline, reading, onProgress)
  const heavy = heavyClusters(found.anchors, found.bytes)
  const isIn = (anchor: number): boolean => heavy.has(anchor) || anchor < share * 2 ** 53
  const contents = await readSample(pipeline, found, isIn)
  const stored = await storedBytes(pipeline.units)
  return {
    share,
    contents,
    heavy,
    corpus: {
      files: stored.size,
      stored_bytes: [...stored.values()].reduce((sum, bytes) => sum + bytes, 0),
      documents: found.anchors.length,
      bytes: found.bytes.reduce((sum, bytes) => sum + bytes, 0),
      units: pipeline.units.length,
      largestUnit_bytes: Math.max(0, ...pipeline.units.map(({ start, end }) => end - start)),
      largestDocument_bytes: found.bytes.reduce((most, bytes) => Math.max(most, bytes), 0),
    },
    reading,
    read_bytes_per_s: await storageRate(pipeline.units[0]?.file),
    time_s: (performance.now() - from) / 1000,
  }
}

/** Through the steps of a spec with the same sources. */
export async function probeSample(pipeline: Pipeline, sample: CorpusSample): Promise<DataProbe> {
  const from = performance.now()
  const { share, corpus, heavy, reading } = sample
  // Steps change texts and counts.
  const contents = sample.contents.map((each) => ({ ...each, document: { ...each.document } }))
  const tokenizing = pipeline.tokenize && (await loadTokenizer(pipeline.tokenize, pipeline.directory))
  const ran = await runSample(pipeline, { contents, heavy, tokenizing })
  return {
    apiVersion: 'ironlaw/v1',
    kind: 'DataProbe',
    spec: dataSpecDigest(pipeline.spec),
    share,
    corpus,
    ...ran,
    ...(tokenizing ? { token_bytes: tokenBytes(tokenizing) } : {}),
    reading: { ...reading, does: readWork(pipeline.units), again: rereadWork(pipeline.units) },
    machine: {
      name: machineName(),
      cores: availableParallelism(),
      memory_bytes: totalmem(),
      read_bytes_per_s: sample.read_bytes_per_s,
      ...(await measureWriting(dirname(pipeline.files.pipeline))),
      peak_bytes: process.resourceUsage().maxRSS * 1024,
    },
    time_s: sample.time_s + (performance.now() - from) / 1000,
  }
}

const RATE_BYTES = 64e6
/** Where there is nothing to read. */
const MEMORY_RATE = 1e9

/** What a reader gets that does nothing else. */
async function storageRate(path: string | undefined): Promise<number> {
  if (path === undefined) return MEMORY_RATE
  const from = performance.now()
  let read = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20, end: RATE_BYTES - 1 })) read += (chunk as Buffer).length
  return read === 0 ? MEMORY_RATE : (1000 * read) / (performance.now() - from)
}

async function storedBytes(units: readonly Unit[]): Promise<ReadonlyMap<string, number>> {
  const files = [...new Set(units.map(({ file }) => file))]
  return new Map(await Promise.all(files.map(async (file) => [file, (await stat(file)).size] as const)))
}

async function readAnchors(
  pipeline: Pipeline,
  reading: { stored_bytes: number; time_s: number },
  onProgress?: (bytes: number) => void,
): Promise<Anchors> {
  const anchors: number[] = []
  const bytes: number[] = []
  const firstOfUnit: number[] = []
  for (const unit of pipeline.units) {
    firstOfUnit.push(anchors.length)
    const tally = createTally(unit, sourceOf(pipeline, unit).name, pipeline.stepNames)
    for await (const { documents } of documentBatches(pipeline, unit, { tally, isFirst: true }))
      for (const { text } of documents) {
        anchors.push(anchorOf(text))
        bytes.push(Buffer.byteLength(text))
      }
    reading.time_s += tally.seconds()['read'] ?? 0
    reading.stored_bytes += unit.end - unit.start
    onProgress?.(unit.end - unit.start)
  }
  return { anchors: Float64Array.from(anchors), bytes: Uint32Array.from(bytes), firstOfUnit }
}

/** Contents of the clusters that are in, equal ones of a source once. */
async function readSample(
  pipeline: Pipeline,
  { anchors, firstOfUnit }: Anchors,
  isIn: (anchor: number) => boolean,
): Promise<readonly Sampled[]> {
  const sampled = new Map<string, Sampled>()
  for (const unit of pipeline.units) {
    let place = firstOfUnit[unit.number] as number
    const tally = createTally(unit, sourceOf(pipeline, unit).name, pipeline.stepNames)
    for await (const { documents } of documentBatches(pipeline, unit, { tally, isFirst: false })) {
      for (const document of documents) {
        const anchor = anchors[place] as number
        place += 1
        if (isIn(anchor)) addContent(sampled, { document, unit, anchor })
      }
    }
  }
  return [...sampled.values()]
}

function addContent(sampled: Map<string, Sampled>, found: Pick<Sampled, 'document' | 'unit' | 'anchor'>): void {
  const { high, low } = contentNumbers(found.document.text)
  const key = `${found.unit.source} ${high} ${low}`
  const earlier = sampled.get(key)
  if (earlier) earlier.copies += 1
  else sampled.set(key, { ...found, copies: 1, weight: 1, tokens: 0 })
}
