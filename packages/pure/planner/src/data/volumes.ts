// What a pipeline holds between its passes: keys by band, edges between documents that share one, components, tokens before they are shuffled; on disk
// and in memory.

import type { DataProbe } from '@ironlaw/contracts/data-probe'
import { explain, explainAlso } from '@ironlaw/laws'
import { dedupDisk, dedupMemory } from '@ironlaw/laws/data/deduplication'
import { type Known, quantity } from '@ironlaw/units'
import type { FilledConditions } from './conditions.ts'
import { type Estimate, relativeSpread, spreadInterval } from './estimate.ts'
import { type StepLeft, wholeCorpus } from './left.ts'

export type Volumes = {
  /** Documents that go into deduplication; none without it. */
  readonly deduplicated: number
  readonly keys_bytes: number
  readonly edges_bytes: number
  /** Keys by which repeated text is found; none where it is left. */
  readonly repeats_bytes: number
  readonly tokens_bytes: number
  /** Files in which keys are grouped, and shards of tokens. */
  readonly partitions: number
  readonly shards: number
  readonly disk: Estimate<'B'>
  readonly cluster: Estimate<'B'>
  readonly worker: Estimate<'B'>
}

/** Stored bytes whose keys are one partition, and text whose tokens are one shard. */
const PARTITION_BYTES = 256e6
const MOST_PARTITIONS = 1024
const SHARD_BYTES = 512e6
/** A table of keys is half full or less. */
const TABLE_ROOM = 3
/** Of a document among the tokens of a unit: its order, its record, its length. */
const PLACE_BYTES = 16
/** A process before it holds any data. */
const PROCESS_BYTES = 60e6
/** Relative, of what a byte takes in memory and on disk. */
const MEMORY_SPREAD = 0.15
const DISK_SPREAD = 0.03

export function volumesOf(probe: DataProbe, left: readonly StepLeft[], conditions: FilledConditions): Volumes {
  const { corpus, duplicates } = probe
  const at = probe.steps.findIndex(({ kind }) => kind === 'dedupe')
  const into = at < 0 ? undefined : (left[at - 1] ?? wholeCorpus(probe)).documents
  const documents = given(into?.value ?? 0, '1', 'documents that deduplication gets')
  const edges = given(at < 0 ? 0 : edgesOf(probe), '1', 'documents that share a key with an earlier one, by key; expanded from the sample')
  const removed = given(into ? Math.max(0, into.value - (left[at]?.documents.value ?? 0)) : 0, '1', 'documents that deduplication removes')
  const stored = { documents, keys: given(duplicates?.bands ?? 1, '1', 'keys of a document, by the spec'), edges, removed }
  const disk = explain(dedupDisk, stored)
  const memory = explain(dedupMemory, { documents, edges, base: given(PROCESS_BYTES, 'B', 'a process without data') })
  const last = left.at(-1)
  const tokens = last?.tokens
  const tokens_bytes = tokens ? tokens.value * conditions.bytesPerToken + PLACE_BYTES * (last?.documents.value ?? 0) : 0
  const partitions = powerOfTwo(Math.min(MOST_PARTITIONS, corpus.stored_bytes / PARTITION_BYTES))
  const shards = Math.max(1, Math.ceil((last?.bytes.value ?? 0) / SHARD_BYTES))
  const keys_bytes = explainAlso(dedupDisk, stored, 'keyBytes').value
  const largest = Math.max(
    (TABLE_ROOM * Math.max(keys_bytes, repeatKeyBytes(probe))) / partitions,
    (2 * tokens_bytes) / shards,
    2 * corpus.largestDocument_bytes,
  )
  const repeats_bytes = repeatKeyBytes(probe)
  const held = disk.value + tokens_bytes + repeats_bytes
  const spread = Math.hypot(DISK_SPREAD, into ? relativeSpread(into) : 0, tokens ? relativeSpread(tokens) : 0)
  return {
    deduplicated: documents.value,
    keys_bytes,
    edges_bytes: explainAlso(dedupDisk, stored, 'edgeFiles').value,
    repeats_bytes,
    tokens_bytes,
    partitions,
    shards,
    disk: { ...spreadInterval(held, spread), by: at < 0 ? given(held, 'B', 'tokens before they are shuffled') : disk },
    cluster: { ...spreadInterval(at < 0 ? 0 : memory.value, Math.hypot(MEMORY_SPREAD, into ? relativeSpread(into) : 0)), by: memory },
    worker: workerMemory(probe.machine.peak_bytes, largest),
  }
}

function workerMemory(peak_bytes: number, largest: number): Estimate<'B'> {
  const value = peak_bytes + largest
  return {
    ...spreadInterval(value, MEMORY_SPREAD),
    by: given(value, 'B', 'memory of the probe, and the largest partition, shard or document'),
  }
}

/** Expanded from the sample as documents are; every document of a heavy cluster is taken to share all its keys. */
function edgesOf({ corpus, sample, heavy, duplicates }: DataProbe): number {
  const expansion = sample.documents.sum > 0 ? (corpus.documents - heavy.documents) / sample.documents.sum : 0
  return heavy.documents * (duplicates?.bands ?? 1) + (duplicates?.edges ?? 0) * expansion
}

const REPEAT_KEY_BYTES = 12

/** Expanded from the sample as its bytes are. */
function repeatKeyBytes({ corpus, sample, heavy, repeats }: DataProbe): number {
  if (!repeats) return 0
  const expansion = sample.bytes.sum > 0 ? (corpus.bytes - heavy.bytes) / sample.bytes.sum : 0
  return REPEAT_KEY_BYTES * (repeats.heavyKeys + repeats.keys * expansion)
}

const powerOfTwo = (least: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, least)))

const given = <U extends '1' | 'B'>(value: number, unit: U, what: string): Known<U> => ({
  value: quantity(value, unit),
  unit,
  by: { kind: 'source', ref: what, asOf: 'probe' },
})
