import type { ArtifactManifest } from '@ironlaw/contracts/artifact'
import type { Artifacts } from './artifacts.ts'
import type { Progress } from './progress.ts'
import { type Damage, type FileChunk, listedFiles, manifestDamage, readChunks } from './stored-artifact.ts'

export type VerifyOptions = { readonly onProgress?: (progress: Progress) => void }

/** Reads every byte of an artifact and yields what is missing or not what was stored; add the same files with these keys as `again`. */
export async function* verify(
  artifacts: Artifacts,
  manifest: ArtifactManifest,
  { onProgress }: VerifyOptions = {},
): AsyncGenerator<Damage> {
  yield* await manifestDamage(artifacts, manifest)
  const damagedLists: Damage[] = []
  async function* chunks(): AsyncGenerator<FileChunk> {
    for await (const listed of listedFiles(artifacts, manifest)) {
      if (listed.state === 'damaged') damagedLists.push(listed.damage)
      else for (const chunk of listed.list.chunks) yield { file: listed.file, kind: listed.list.leaf, chunk }
    }
  }
  let bytes = 0
  for await (const read of readChunks(artifacts, chunks())) {
    bytes += read.chunk.bytes
    if (read.state === 'damaged') yield read.damage
    onProgress?.({ path: read.file.path, bytes, written_bytes: 0 })
  }
  yield* damagedLists
}
