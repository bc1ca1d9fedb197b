// An artifact: files that never change, named by the digest of their manifest. The manifest names each file by the digest of its list of
// chunks, a chunk by the root of a tree over its salted leaves. So a root verifies every byte, two versions share the chunks that are equal,
// and a record can be erased without breaking the proofs of the versions that held it. A separate entry point, as everything that loads zod.

import * as z from 'zod'
import { canonicalJson, type Json } from './canonical-json.ts'
import { sha256 } from './sha256.ts'

export const ARTIFACT_TYPES = ['dataset', 'model', 'evaluation', 'profile'] as const

export type ArtifactType = (typeof ARTIFACT_TYPES)[number]

const digest = z.string().regex(/^[0-9a-f]{64}$/, 'expected a digest of 64 hexadecimal digits')
const size = z.int().nonnegative()

export const ARTIFACT_REFERENCE = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,99}(?:@[1-9]\d{0,8})?$/,
    'expected an id or its beginning, a name, or a name with its version such as corpus@3',
  )
  .describe('Id or its beginning, name, or name@version')

export const USED_ARTIFACTS = z
  .array(ARTIFACT_REFERENCE)
  .max(100)
  .describe('Artifacts of the project that it uses, such as its dataset: each by id or its beginning, name, or name@version')
  .meta({ examples: [['corpus@3']] })

/** What a leaf of the tree is: a line of text with its end, or a block of bytes. */
export const LEAF_KINDS = ['line', 'block'] as const

export const CHUNK = z.strictObject({
  root: digest.describe('Root of the tree over its salted leaves'),
  bytes: size,
  leaves: z.int().positive(),
})

/** Stored as canonical JSON under its digest. */
export const CHUNK_LIST = z.strictObject({ leaf: z.enum(LEAF_KINDS), chunks: z.array(CHUNK) })

export const MOST_ARTIFACT_FILES = 100_000
const MOST_PATH = 1024

/** Relative, with forward slashes, and it cannot leave the directory that it is restored to. */
export const ARTIFACT_PATH = z
  .string()
  .max(MOST_PATH)
  .refine(
    (path) => path.split('/').every((part) => part !== '' && part !== '.' && part !== '..') && !/[\p{Cc}\\]/u.test(path),
    'expected a relative path with forward slashes, without "." and ".."',
  )

export const ARTIFACT_FILE = z.strictObject({
  path: ARTIFACT_PATH,
  bytes: size,
  leaves: size,
  chunks: digest.describe('Digest of its list of chunks'),
})

export const MANIFEST = z
  .strictObject({
    apiVersion: z.literal('ironlaw/v1'),
    kind: z.literal('Artifact'),
    type: z.enum(ARTIFACT_TYPES),
    files: z
      .array(ARTIFACT_FILE)
      .min(1)
      .max(MOST_ARTIFACT_FILES)
      .refine((files) => new Set(files.map(({ path }) => path)).size === files.length, 'two files have the same path'),
    facts: z.record(z.string().max(100), z.json()).describe('What is known of the content, such as its tokenizer; part of the identity'),
  })
  .meta({ id: 'ArtifactManifest' })

export type ArtifactManifest = z.output<typeof MANIFEST>
export type ArtifactFile = z.output<typeof ARTIFACT_FILE>
export type ChunkList = z.output<typeof CHUNK_LIST>
export type Chunk = z.output<typeof CHUNK>
export type LeafKind = (typeof LEAF_KINDS)[number]

/** Directories of an artifact that hold a file of this name, each with a slash at its end; empty for the top. */
export const foldersWith = (files: readonly Pick<ArtifactFile, 'path'>[], file: string): readonly string[] =>
  files.filter(({ path }) => path === file || path.endsWith(`/${file}`)).map(({ path }) => path.slice(0, -file.length))

const contentDigest = (value: Json): string => sha256(canonicalJson(value))

/** Files in the order of their paths, so that the same content has the same name whatever the order it was found in. */
export const artifactId = ({ files, ...rest }: ArtifactManifest): string =>
  `art-${contentDigest({ ...rest, files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)) })}`

export const chunkListDigest = (list: ChunkList): string => contentDigest(list)

/** Where the parts of artifacts are stored. */
export const objectKey = {
  chunk: (root: string): string => `chunks/${root.slice(0, 2)}/${root}`,
  list: (listDigest: string): string => `lists/${listDigest.slice(0, 2)}/${listDigest}`,
  manifest: (id: string): string => `manifests/${id.slice(4, 6)}/${id}`,
}
