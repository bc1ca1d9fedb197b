// Reads artifacts from the storage: manifests, lists and chunks, each checked against the digest that names it.

import { IronlawError } from '@ironlaw/contracts'
import {
  type ArtifactFile,
  artifactId,
  type ArtifactManifest,
  type Chunk,
  CHUNK_LIST,
  type ChunkList,
  type LeafKind,
  MANIFEST,
  objectKey,
} from '@ironlaw/contracts/artifact'
import type { Artifacts } from './artifacts.ts'
import { chunkContent } from './chunk-object.ts'
import { chunkOf, MOST_CHUNK_BYTES } from './file-chunks.ts'
import { mapAhead } from './look-ahead.ts'
import { leafHasher } from './salted-tree.ts'
import { textHasDigest } from './stored-text.ts'

const OBJECTS_AHEAD = 32
/** Whole chunks in memory. */
const CHUNKS_AHEAD = 4

/** What is damaged where it is no file. */
const MANIFEST_PATH = 'the manifest'

const digestIn = (id: string): string => id.slice('art-'.length)

/** An object without which a file cannot be restored. */
export type Damage = { readonly path: string; readonly key: string; readonly problem: 'missing' | 'corrupt' }

export type ListedFile =
  | { readonly state: 'whole'; readonly file: ArtifactFile; readonly list: ChunkList }
  | { readonly state: 'damaged'; readonly file: ArtifactFile; readonly damage: Damage }

export type FileChunk = { readonly file: ArtifactFile; readonly kind: LeafKind; readonly chunk: Chunk }

export type ReadChunk = FileChunk &
  ({ readonly state: 'whole'; readonly content: Buffer } | { readonly state: 'damaged'; readonly damage: Damage })

export const damageError = (artifacts: Artifacts, { path, key, problem }: Damage): IronlawError =>
  new IronlawError('IL_DAMAGED', {
    path,
    key,
    storage: artifacts.storage.url,
    problem: problem === 'missing' ? 'is not there' : 'is not what was stored',
  })

export async function readManifest({ storage }: Artifacts, id: string): Promise<ArtifactManifest> {
  const key = objectKey.manifest(id)
  const content = await storage.get(key)
  if (content === undefined)
    throw new IronlawError('IL_NOT_FOUND', { kind: 'artifact', id }, { next: `${storage.url} has no ${key}; check the id` })
  if (!textHasDigest(content, digestIn(id)))
    throw new IronlawError('IL_DAMAGED', { path: MANIFEST_PATH, key, storage: storage.url, problem: 'is not what was stored' })
  return MANIFEST.parse(JSON.parse(content.toString()))
}

export async function manifestDamage({ storage }: Artifacts, manifest: ArtifactManifest): Promise<readonly Damage[]> {
  const id = artifactId(manifest)
  const key = objectKey.manifest(id)
  const content = await storage.get(key)
  if (content === undefined) return [{ path: MANIFEST_PATH, key, problem: 'missing' }]
  return textHasDigest(content, digestIn(id)) ? [] : [{ path: MANIFEST_PATH, key, problem: 'corrupt' }]
}

/** The lists of all files, in the order of the manifest. */
export const listedFiles = (artifacts: Artifacts, { files }: Pick<ArtifactManifest, 'files'>): AsyncGenerator<ListedFile> =>
  mapAhead(files, OBJECTS_AHEAD, (file) => readList(artifacts, file))

async function readList({ storage }: Artifacts, file: ArtifactFile): Promise<ListedFile> {
  const key = objectKey.list(file.chunks)
  const content = await storage.get(key)
  const damaged = (problem: Damage['problem']): ListedFile => ({ state: 'damaged', file, damage: { path: file.path, key, problem } })
  if (content === undefined) return damaged('missing')
  if (!textHasDigest(content, file.chunks)) return damaged('corrupt')
  const list = CHUNK_LIST.parse(JSON.parse(content.toString()))
  const bytes = list.chunks.reduce((total, chunk) => total + chunk.bytes, 0)
  return bytes === file.bytes && list.chunks.every((chunk) => chunk.bytes <= MOST_CHUNK_BYTES)
    ? { state: 'whole', file, list }
    : damaged('corrupt')
}

/** Chunks with their verified content; the next few are fetched meanwhile. */
export function readChunks(artifacts: Artifacts, chunks: AsyncIterable<FileChunk> | Iterable<FileChunk>): AsyncGenerator<ReadChunk> {
  const leafHash = leafHasher(artifacts.key)
  return mapAhead(chunks, CHUNKS_AHEAD, async ({ file, kind, chunk }) => {
    const key = objectKey.chunk(chunk.root)
    const object = await artifacts.storage.get(key)
    const damaged = (problem: Damage['problem']): ReadChunk => ({
      file,
      kind,
      chunk,
      state: 'damaged',
      damage: { path: file.path, key, problem },
    })
    if (object === undefined) return damaged('missing')
    const content = await chunkContent(object, chunk.bytes)
    const actual = content && chunkOf(content, kind, leafHash)
    return content !== undefined && actual?.root === chunk.root && actual.leaves === chunk.leaves
      ? { file, kind, chunk, state: 'whole', content }
      : damaged('corrupt')
  })
}

/** All keys that an artifact needs, each once. Throws where a list cannot be read, since what it names would be left out. */
export async function* objectKeys(artifacts: Artifacts, manifest: ArtifactManifest): AsyncGenerator<string> {
  for await (const key of knownKeys(artifacts, manifest)) {
    if (typeof key !== 'string') throw damageError(artifacts, key)
    yield key
  }
}

/** Of a list that is missing or corrupt the chunks are not known; they are found when it has been written again. */
export async function* missingObjects(artifacts: Artifacts, manifest: ArtifactManifest): AsyncGenerator<string> {
  const looked = mapAhead(knownKeys(artifacts, manifest), OBJECTS_AHEAD, async (key) => {
    if (typeof key !== 'string') return { key: key.key, present: false }
    return { key, present: await artifacts.storage.has(key) }
  })
  for await (const { key, present } of looked) if (!present) yield key
}

async function* knownKeys(artifacts: Artifacts, manifest: ArtifactManifest): AsyncGenerator<string | Damage> {
  const known = new Set<string>()
  const isNew = (key: string): boolean => !known.has(key) && known.add(key).has(key)
  yield objectKey.manifest(artifactId(manifest))
  for await (const listed of listedFiles(artifacts, manifest)) {
    if (listed.state === 'damaged') {
      yield listed.damage
      continue
    }
    const key = objectKey.list(listed.file.chunks)
    if (!isNew(key)) continue
    yield key
    yield* listed.list.chunks.map(({ root }) => objectKey.chunk(root)).filter(isNew)
  }
}
