// The data order of a run and the datasets of its sources, from the artifacts that the run uses.

import { type Artifacts, readRange, readSmallFile } from '@ironlaw/artifacts'
import { IronlawError } from '@ironlaw/contracts'
import type { RunView } from '@ironlaw/contracts/api'
import { type ArtifactFile, type ArtifactManifest, foldersWith } from '@ironlaw/contracts/artifact'
import { DATA_ORDER_FILE, type DataOrder, parseDataOrder } from '@ironlaw/contracts/data-order'
import { parseTokenDataset, shardFiles, TOKEN_DATASET_FILE, type TokenDataset, tokenDatasetDigest } from '@ironlaw/contracts/token-dataset'
import { indexBytes, type IndexPart, layoutOfParts, type TokenLayout } from '@ironlaw/data'
import { api } from '../api/api-client.ts'
import { siteArtifacts } from '../artifact/add-artifact.ts'
import { context } from '../context/context.ts'
import { findRun } from '../run/find-run.ts'

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
  const [order, ...others] = await documentsIn({ artifacts, manifests }, DATA_ORDER_FILE)
  if (!order || others.length > 0)
    throw new IronlawError(
      'IL_NOT_FOUND',
      { kind: `one ${DATA_ORDER_FILE} among the artifacts of the run`, id: run.id },
      { next: 'the spec names it with the datasets: "uses: [order, corpus]"; "ironlaw data order" writes one' },
    )
  const parsed = parseDataOrder(order.value, DATA_ORDER_FILE)
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
    for (const folder of foldersWith(manifest.files, name)) {
      const content = await readSmallFile(artifacts, manifest, `${folder}${name}`)
      found.push({ value: JSON.parse(content?.toString() ?? 'null'), manifest, folder })
    }
  return found
}

async function sourcesOf(used: Used, order: DataOrder): Promise<ReadonlyMap<string, SourceData>> {
  const datasets = (await documentsIn(used, TOKEN_DATASET_FILE)).map(({ value, manifest, folder }) => {
    const dataset = parseTokenDataset(value, `${folder}${TOKEN_DATASET_FILE}`)
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

type Entries = { readonly shard: number; readonly first: number; readonly end: number }

/** Where documents lie, with the offsets of some documents of some shards: those that will be asked for. */
export async function layoutOf(artifacts: Artifacts, source: SourceData, entries: readonly Entries[]): Promise<TokenLayout> {
  const parts: IndexPart[] = []
  for (const { shard, first, end } of entries) {
    const file = fileOf(source, shardFiles(shard).documents)
    parts.push({ shard, first, content: await readRange(artifacts, file, indexBytes(first, end)) })
  }
  return layoutOfParts(source.dataset, parts)
}
