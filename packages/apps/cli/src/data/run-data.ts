// The data order of a run and the datasets of its sources, from the artifacts that the run uses.

import { type Artifacts, readRange, readSmallFile } from '@ironlaw/artifacts'
import { IronlawError } from '@ironlaw/contracts'
import type { RunView } from '@ironlaw/contracts/api'
import type { ArtifactFile, ArtifactManifest } from '@ironlaw/contracts/artifact'
import { type DataOrder, parseDataOrder } from '@ironlaw/contracts/data-order'
import { parseTokenDataset, shardFiles, type TokenDataset, tokenDatasetDigest } from '@ironlaw/contracts/token-dataset'
import type { TokenLayout } from '@ironlaw/data'
import { api } from '../api/api-client.ts'
import { siteArtifacts } from '../artifact/add-artifact.ts'
import { context } from '../context/context.ts'
import { findRun } from '../run/find-run.ts'
import { DATASET_FILE, ORDER_FILE } from './order.ts'

/** Where the files of a source are: in which artifact, under which directory. */
export type SourceData = { readonly dataset: TokenDataset; readonly manifest: ArtifactManifest; readonly folder: string }

export type RunData = {
  readonly run: RunView
  readonly artifacts: Artifacts
  readonly order: DataOrder
  /** Samples of a step. */
  readonly batch: number
  readonly sources: ReadonlyMap<string, SourceData>
}

export async function runData(idOrName: string): Promise<RunData> {
  const to = context()
  const run = await findRun(to, idOrName)
  const { project } = run
  const { edges } = await api(to).traceArtifact({ project, artifact: run.id, query: { direction: 'up' } })
  const used = edges.filter((edge) => edge.run === run.id && edge.how === 'used').map(({ artifact }) => artifact)
  const manifests = await Promise.all(used.map((artifact) => api(to).getArtifactManifest({ project, artifact })))
  const artifacts = await siteArtifacts()
  const [order, ...others] = await documentsIn({ artifacts, manifests }, ORDER_FILE)
  if (!order || others.length > 0)
    throw new IronlawError(
      'IL_NOT_FOUND',
      { kind: `one ${ORDER_FILE} among the artifacts of the run`, id: run.id },
      { next: 'the spec names it with the datasets: "uses: [order, corpus]"; "ironlaw data order" writes one' },
    )
  const parsed = parseDataOrder(order.value, ORDER_FILE)
  const { body } = await api(to).getPlan({ id: run.plan })
  return { run, artifacts, order: parsed, batch: batchOf(run, body), sources: await sourcesOf({ artifacts, manifests }, parsed) }
}

function batchOf({ id }: RunView, plan: Readonly<Record<string, unknown>>): number {
  const batch = plan['globalBatch']
  if (typeof batch === 'number') return batch
  throw new IronlawError(
    'IL_NOT_FOUND',
    { kind: 'global batch in the plan of run', id },
    { next: 'only a run of a training plan has steps of a known size' },
  )
}

type Used = { readonly artifacts: Artifacts; readonly manifests: readonly ArtifactManifest[] }
type FoundDocument = { readonly value: unknown; readonly manifest: ArtifactManifest; readonly folder: string }

async function documentsIn({ artifacts, manifests }: Used, name: string): Promise<readonly FoundDocument[]> {
  const found: FoundDocument[] = []
  for (const manifest of manifests)
    for (const { path } of manifest.files)
      if (path === name || path.endsWith(`/${name}`)) {
        const content = await readSmallFile(artifacts, manifest, path)
        found.push({ value: JSON.parse(content?.toString() ?? 'null'), manifest, folder: path.slice(0, -name.length) })
      }
  return found
}

async function sourcesOf(used: Used, order: DataOrder): Promise<ReadonlyMap<string, SourceData>> {
  const datasets = (await documentsIn(used, DATASET_FILE)).map(({ value, manifest, folder }) => {
    const dataset = parseTokenDataset(value, `${folder}${DATASET_FILE}`)
    return { dataset, manifest, folder, digest: tokenDatasetDigest(dataset) }
  })
  return new Map(
    order.sources.map(({ name, digest }) => {
      const found = datasets.find((each) => each.digest === digest)
      if (!found)
        throw new IronlawError(
          'IL_NOT_FOUND',
          { kind: `dataset of source "${name}" among the artifacts of the run`, id: digest },
          { next: 'the run must use the artifact with the dataset that the order was made for' },
        )
      return [name, found]
    }),
  )
}

export function fileOf({ manifest, folder }: SourceData, name: string): ArtifactFile {
  const file = manifest.files.find((each) => each.path === `${folder}${name}`)
  if (!file) throw new IronlawError('IL_NOT_FOUND', { kind: 'file of the dataset', id: `${folder}${name}` })
  return file
}

/** Offsets of documents are 64-bit numbers. */
const OFFSET_BYTES = 8

type IndexPart = { readonly shard: number; readonly first: number; readonly end: number }

/** Where documents lie, with the offsets of some documents of some shards: those that will be asked for. */
export async function layoutOf(artifacts: Artifacts, source: SourceData, parts: readonly IndexPart[]): Promise<TokenLayout> {
  const { sequence, shards } = source.dataset
  const read = new Map<number, { readonly first: number; readonly offsets: Buffer }>()
  for (const { shard, first, end } of parts) {
    const file = fileOf(source, shardFiles(shard).documents)
    read.set(shard, { first, offsets: await readRange(artifacts, file, { start: OFFSET_BYTES * first, end: OFFSET_BYTES * end }) })
  }
  const offsetAt = (shard: number, entry: number): number => {
    const { first = 0, offsets } = read.get(shard) ?? {}
    return Number(offsets?.readBigUInt64LE(OFFSET_BYTES * (entry - first)) ?? 0)
  }
  return {
    sequence,
    shards: shards.map(({ tokens, documents }, shard) => ({ tokens, documents, offsetAt: (entry) => offsetAt(shard, entry) })),
  }
}
