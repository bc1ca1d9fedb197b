// What differs between two artifacts. Lists of chunks tell it for files, and chunks are read only where they are not shared.

import { hash } from 'node:crypto'
import { canonicalJson } from '@ironlaw/contracts'
import { type ArtifactFile, artifactId, type ArtifactManifest, type Chunk, type ChunkList } from '@ironlaw/contracts/artifact'
import type { ArtifactDiff } from '@ironlaw/contracts/artifact-operations'
import type { Artifacts } from './artifacts.ts'
import { leavesOf } from './file-chunks.ts'
import { damageError, type FileChunk, listedFiles, readChunks } from './stored-artifact.ts'

const MOST_CHANGES = 1000
const MOST_COMPARED_BYTES = 256 * 1024 * 1024
/** They are held in memory. */
const MOST_COMPARED_LEAVES = 2_000_000

type FileChange = ArtifactDiff['changes'][number]
type FilePair = { readonly path: string; readonly before?: ArtifactFile; readonly after?: ArtifactFile }
type ListedFile = { readonly file: ArtifactFile; readonly list: ChunkList }
type Unshared = { readonly before: readonly FileChunk[]; readonly after: readonly FileChunk[] }

export async function diff(artifacts: Artifacts, before: ArtifactManifest, after: ArtifactManifest): Promise<ArtifactDiff> {
  const pairs = filePairs(before.files, after.files)
  const different = pairs.filter((pair) => pair.before?.chunks !== pair.after?.chunks)
  const earlier = await listsOf(artifacts, before, different)
  const later = await listsOf(artifacts, after, different)
  const compare = leafComparison(artifacts)
  const changes: FileChange[] = []
  for (const pair of different.slice(0, MOST_CHANGES)) {
    const [from, to] = [earlier.get(pair.path), later.get(pair.path)]
    changes.push({ ...sizeChange(pair), ...(from && to ? await compare(from, to) : {}) })
  }
  const same = pairs.filter((pair) => pair.before?.chunks === pair.after?.chunks)
  return {
    from: artifactId(before),
    to: artifactId(after),
    files_same: same.length,
    files_changed: different.length,
    bytes_shared: same.reduce((total, { after: file }) => total + (file?.bytes ?? 0), 0) + sharedBytes(earlier, later),
    changes,
    facts: factChanges(before.facts, after.facts),
  }
}

function filePairs(before: readonly ArtifactFile[], after: readonly ArtifactFile[]): readonly FilePair[] {
  const earlier = new Map(before.map((file) => [file.path, file]))
  const later = new Map(after.map((file) => [file.path, file]))
  return [...new Set([...earlier.keys(), ...later.keys()])].toSorted().map((path) => {
    const [from, to] = [earlier.get(path), later.get(path)]
    return { path, ...(from && { before: from }), ...(to && { after: to }) }
  })
}

function sizeChange({ path, before, after }: FilePair): FileChange {
  const sizes = { path, bytes_before: before?.bytes ?? 0, bytes_after: after?.bytes ?? 0 }
  if (before === undefined) return { ...sizes, change: 'added', leaves_added: after?.leaves ?? 0, leaves_removed: 0 }
  if (after === undefined) return { ...sizes, change: 'removed', leaves_added: 0, leaves_removed: before.leaves }
  return { ...sizes, change: 'changed' }
}

async function listsOf(
  artifacts: Artifacts,
  manifest: ArtifactManifest,
  different: readonly FilePair[],
): Promise<ReadonlyMap<string, ListedFile>> {
  const paths = new Set(different.map(({ path }) => path))
  const lists = new Map<string, ListedFile>()
  for await (const listed of listedFiles(artifacts, { ...manifest, files: manifest.files.filter(({ path }) => paths.has(path)) })) {
    if (listed.state === 'damaged') throw damageError(artifacts, listed.damage)
    lists.set(listed.file.path, listed)
  }
  return lists
}

/** In files of other names too: a file that was renamed is shared. */
function sharedBytes(earlier: ReadonlyMap<string, ListedFile>, later: ReadonlyMap<string, ListedFile>): number {
  const chunksIn = (files: ReadonlyMap<string, ListedFile>): readonly Chunk[] => [...files.values()].flatMap(({ list }) => list.chunks)
  const roots = new Set(chunksIn(earlier).map(({ root }) => root))
  return chunksIn(later).reduce((total, { root, bytes }) => total + (roots.has(root) ? bytes : 0), 0)
}

type LeafChanges = Pick<FileChange, 'leaves_added' | 'leaves_removed'>

/** Compares the leaves of files until it has read as much as it may. */
function leafComparison(artifacts: Artifacts): (before: ListedFile, after: ListedFile) => Promise<LeafChanges> {
  let [bytesLeft, leavesLeft] = [MOST_COMPARED_BYTES, MOST_COMPARED_LEAVES]
  return async (before, after) => {
    if (before.list.leaf !== after.list.leaf) return {}
    const unshared: Unshared = { before: chunksOnlyIn(before, after), after: chunksOnlyIn(after, before) }
    const chunks = [...unshared.before, ...unshared.after].map(({ chunk }) => chunk)
    const bytes = chunks.reduce((total, chunk) => total + chunk.bytes, 0)
    const leaves = chunks.reduce((total, chunk) => total + chunk.leaves, 0)
    if (bytes > bytesLeft || leaves > leavesLeft) return {}
    bytesLeft -= bytes
    leavesLeft -= leaves
    return await compareLeaves(artifacts, unshared)
  }
}

/** As multisets: a chunk that a file has three times and the other once is there twice. */
function chunksOnlyIn({ file, list }: ListedFile, other: ListedFile): readonly FileChunk[] {
  const counts = new Map<string, number>()
  for (const { root } of other.list.chunks) counts.set(root, (counts.get(root) ?? 0) + 1)
  return list.chunks
    .filter(({ root }) => {
      const left = counts.get(root) ?? 0
      counts.set(root, left - 1)
      return left <= 0
    })
    .map((chunk) => ({ file, kind: list.leaf, chunk }))
}

async function compareLeaves(artifacts: Artifacts, { before, after }: Unshared): Promise<LeafChanges> {
  const counts = new Map<string, number>()
  const count = async (chunks: readonly FileChunk[], by: 1 | -1): Promise<void> => {
    for await (const read of readChunks(artifacts, chunks)) {
      if (read.state === 'damaged') throw damageError(artifacts, read.damage)
      for (const leaf of leavesOf(read.content, read.kind)) {
        const digest = hash('sha256', leaf, 'base64')
        counts.set(digest, (counts.get(digest) ?? 0) + by)
      }
    }
  }
  await count(before, -1)
  await count(after, 1)
  let [leaves_added, leaves_removed] = [0, 0]
  for (const difference of counts.values()) {
    leaves_added += Math.max(0, difference)
    leaves_removed += Math.max(0, -difference)
  }
  return { leaves_added, leaves_removed }
}

function factChanges(before: ArtifactManifest['facts'], after: ArtifactManifest['facts']): ArtifactDiff['facts'] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted().flatMap((field) => {
    const [from, to] = [before[field], after[field]]
    if (from !== undefined && to !== undefined && canonicalJson(from) === canonicalJson(to)) return []
    return [{ field, ...(from !== undefined && { before: from }), ...(to !== undefined && { after: to }) }]
  })
}
