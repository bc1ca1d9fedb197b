// What is signed: the files of a model with their digests, as an in-toto statement. Nothing here reads a file or holds a key.

import { hash } from 'node:crypto'
import { posix } from 'node:path'
import {
  SIGNATURE_FILE,
  SIGNATURE_PREDICATE,
  SIGNED_STATEMENT,
  type SignedStatement,
  STATEMENT_TYPE,
} from '@ironlaw/contracts/model-signature'
import { readValue } from '@ironlaw/contracts/read-value'

export type SignedFile = { readonly path: string; readonly sha256: string }

export type SignatureProblem = { readonly path: string; readonly problem: string }

/** Not signed, and may be added later: the signature itself, and what git keeps next to a model; OpenSSF's tool ignores the same. */
export const NOT_SIGNED: readonly string[] = [SIGNATURE_FILE, '.git', '.gitattributes', '.github', '.gitignore']

export function signedStatement(name: string, files: readonly SignedFile[]): SignedStatement {
  const sorted = files.toSorted((a, b) => compareParts(a.path, b.path))
  return {
    _type: STATEMENT_TYPE,
    subject: [{ name, digest: { sha256: digestOfAll(sorted.map(({ sha256 }) => sha256)) } }],
    predicateType: SIGNATURE_PREDICATE,
    predicate: {
      serialization: { method: 'files', hash_type: 'sha256', allow_symlinks: false, ignore_paths: [...NOT_SIGNED] },
      resources: sorted.map(({ path, sha256 }) => ({ name: path, algorithm: 'sha256', digest: sha256 })),
    },
  }
}

/** Directory by directory, each name by its UTF-8 bytes: the order in which OpenSSF's tool adds up the digests. */
function compareParts(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')]
  const at = left.findIndex((part, index) => part !== right[index])
  if (at === -1) return left.length - right.length
  return Buffer.compare(Buffer.from(left[at] ?? ''), Buffer.from(right[at] ?? ''))
}

const digestOfAll = (digests: readonly string[]): string => hash('sha256', Buffer.from(digests.join(''), 'hex'))

type ReadStatement =
  | { readonly state: 'read'; readonly statement: SignedStatement }
  | { readonly state: 'refused'; readonly problem: string }

export function readStatement(payload: Buffer): ReadStatement {
  const json = parseJson(payload)
  if (json === undefined) return refused('what was signed is no JSON')
  const { data, error } = readValue(SIGNED_STATEMENT, json)
  if (error) {
    const [issue] = error.issues
    return refused(`what was signed is no statement that is understood: ${issue?.path.join('.')}: ${issue?.message}`)
  }
  const { subject, predicate } = data
  const stated = subject[0]?.digest.sha256
  if (digestOfAll(predicate.resources.map(({ digest }) => digest)) !== stated)
    return refused(`what was signed contradicts itself: the digests of its files do not add up to ${stated}`)
  return { state: 'read', statement: data }
}

export function parseJson(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString('utf8'))
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

const refused = (problem: string): ReadStatement => ({ state: 'refused', problem })

/** Whether a file or a directory may be there without being signed. */
export function mayBeUnsigned({ predicate }: SignedStatement): (path: string) => boolean {
  const ignored = [...NOT_SIGNED, ...(predicate.serialization.ignore_paths ?? []).map(normalPath)]
  const signed = new Set(predicate.resources.flatMap(({ name }) => pathAndFolders(name)))
  return (path) => !signed.has(path) && ignored.some((each) => path === each || path.startsWith(`${each}/`))
}

const normalPath = (path: string): string => posix.normalize(path).replace(/\/$/, '')

const pathAndFolders = (path: string): readonly string[] => path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'))
