// A small file of an artifact, or a part of a larger one, for who looks at it.

import { isUtf8 } from 'node:buffer'
import { type Artifacts, readRange } from '@ironlaw/artifacts'
import { IronlawError } from '@ironlaw/contracts'
import type { ArtifactManifest } from '@ironlaw/contracts/artifact'
import { type ArtifactContent, MOST_FILE_BYTES } from '@ironlaw/contracts/artifact-operations'

export type FilePart = { readonly path: string; readonly from: number; readonly length?: number | undefined }

/** Paths are compared with those of the manifest and lead nowhere else. */
export async function artifactContent(
  artifacts: Artifacts,
  { files }: ArtifactManifest,
  { path, from, length }: FilePart,
): Promise<ArtifactContent> {
  const file = files.find((each) => each.path === path)
  if (!file) throw new IronlawError('IL_NOT_FOUND', { kind: 'file of the artifact', id: path })
  const start = Math.min(from, file.bytes)
  const end = Math.min(file.bytes, start + (length ?? file.bytes))
  if (end - start > MOST_FILE_BYTES)
    throw new IronlawError('IL_INVALID', {
      path: 'query.length',
      problem: `${path} has ${file.bytes} bytes, and one answer at most ${MOST_FILE_BYTES}; ask for a part of it with from and length`,
    })
  const content = await readRange(artifacts, file, { start, end })
  const encoding = isUtf8(content) ? 'utf-8' : 'base64'
  return { path, bytes: file.bytes, from: start, encoding, content: content.toString(encoding) }
}
