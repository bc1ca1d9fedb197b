// Stores files as an artifact: their chunks first, then the lists of chunks, then the manifest. So what is found in the storage was whole
// when it was written, whenever the writer was killed.

import { IronlawError } from '@ironlaw/contracts'
import {
  type ArtifactFile,
  artifactId,
  type ArtifactManifest,
  type ArtifactType,
  type Chunk,
  type ChunkList,
  chunkListDigest,
  type LeafKind,
  MANIFEST,
  objectKey,
} from '@ironlaw/contracts/artifact'
import type { Artifacts } from './artifacts.ts'
import { storedText } from './stored-text.ts'
import { compressedObject } from './chunk-object.ts'
import { blockChunks, type CutChunk, leafKindOf, lineChunks } from './file-chunks.ts'
import type { Progress } from './progress.ts'
import { type LeafHash, leafHasher } from './salted-tree.ts'
import { type FileSource, type OpenSource, type SourceFile, sourceFiles, withSource } from './source-files.ts'
import { startUploads, type Uploads } from './uploads.ts'

export type AddRequest = FileSource & {
  readonly type: ArtifactType
  readonly facts?: ArtifactManifest['facts']
  /** Keys to write whether the storage has them or not: those that a registration reported as missing, or that are damaged. */
  readonly again?: ReadonlySet<string>
  readonly onProgress?: (progress: Progress) => void
}

type Adding = { readonly uploads: Uploads; readonly leafHash: LeafHash; readonly count: (path: string, bytes: number) => void }

/** Memory does not grow with the size of files, and equal content is stored once. The manifest is in the storage, not registered. */
export async function addFiles({ storage, key }: Artifacts, request: AddRequest): Promise<ArtifactManifest> {
  const facts = checkedFacts(request.facts ?? {})
  const sources = await sourceFiles(request)
  const uploads = startUploads(storage, request.again)
  let bytes = 0
  const count = (path: string, more: number): void => {
    bytes += more
    request.onProgress?.({ path, bytes, written_bytes: uploads.written().bytes })
  }
  const adding = { uploads, leafHash: leafHasher(key), count }
  const files: ArtifactFile[] = []
  const lists = new Map<string, ChunkList>()
  try {
    for (const source of sources) {
      const list = await addFile(adding, source)
      const chunks = chunkListDigest(list)
      lists.set(chunks, list)
      files.push({ path: source.path, bytes: sum(list, 'bytes'), leaves: sum(list, 'leaves'), chunks })
    }
  } finally {
    await uploads.settle()
  }
  await uploads.finish()
  for (const [digest, list] of lists) await uploadText(uploads, objectKey.list(digest), storedText(list))
  await uploads.finish()
  const manifest: ArtifactManifest = { apiVersion: 'ironlaw/v1', kind: 'Artifact', type: request.type, files, facts }
  await uploadText(uploads, objectKey.manifest(artifactId(manifest)), storedText(manifest))
  await uploads.finish()
  return manifest
}

const sum = ({ chunks }: ChunkList, field: 'bytes' | 'leaves'): number => chunks.reduce((total, chunk) => total + chunk[field], 0)

const uploadText = (uploads: Uploads, key: string, content: Buffer): Promise<void> =>
  uploads.add({ key, bytes: content.length, content: () => content })

function checkedFacts(facts: ArtifactManifest['facts']): ArtifactManifest['facts'] {
  const { error, data } = MANIFEST.shape.facts.safeParse(facts)
  if (error === undefined) return data
  const [issue] = error.issues
  throw new IronlawError('IL_INVALID', { path: ['facts', ...(issue?.path ?? [])].join('.'), problem: issue?.message ?? 'expected JSON' })
}

async function addFile(adding: Adding, { path, from }: SourceFile): Promise<ChunkList> {
  return await withSource(from, async (source) => {
    const kind = await leafKindOf(path, source.file)
    const chunks = kind === 'line' ? await addLines(adding, path, source) : undefined
    if (chunks !== undefined) return { leaf: 'line', chunks }
    source.rewind()
    return { leaf: 'block', chunks: await addBlocks(adding, path, source) }
  })
}

/** Undefined where the lines are too long. */
async function addLines(adding: Adding, path: string, { read, size }: OpenSource): Promise<Chunk[] | undefined> {
  const chunks: Chunk[] = []
  const cut = lineChunks(read, size, adding.leafHash)
  for (;;) {
    const next = await cut.next()
    if (next.done === true) return next.value === 'whole' ? chunks : undefined
    chunks.push(await addChunk(adding, 'line', next.value))
    adding.count(path, next.value.bytes)
  }
}

async function addBlocks(adding: Adding, path: string, { read, size }: OpenSource): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for await (const chunk of blockChunks(read, size, adding.leafHash)) {
    chunks.push(await addChunk(adding, 'block', chunk))
    adding.count(path, chunk.bytes)
  }
  return chunks
}

async function addChunk({ uploads }: Adding, kind: LeafKind, { object, ...chunk }: CutChunk): Promise<Chunk> {
  // Compressed only where the storage lacks it.
  const content = kind === 'line' ? (): Promise<Buffer> => compressedObject(object) : (): Buffer => object
  await uploads.add({ key: objectKey.chunk(chunk.root), bytes: object.length, content })
  return chunk
}
