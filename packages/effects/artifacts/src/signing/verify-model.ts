// Whether a directory holds what was signed: all of it, unchanged, and nothing else.

import { join } from 'node:path'
import { SIGNATURE_FILE, type SignedStatement } from '@ironlaw/contracts/model-signature'
import { sha256OfFile } from './file-digest.ts'
import { modelFiles } from './model-files.ts'
import { readSignature } from './read-signature.ts'
import type { HashOptions } from './sign-model.ts'
import type { SigningKey } from './signing-keys.ts'
import { mayBeUnsigned, type SignatureProblem } from './statement.ts'

export type Verification =
  | { readonly state: 'verified'; readonly files: number }
  | { readonly state: 'refused'; readonly problems: readonly SignatureProblem[] }

/** Paths come from the directory and are looked up in the statement, so a statement can name no file outside of it. */
export async function verifyModel(directory: string, key: SigningKey, { onBytes }: HashOptions = {}): Promise<Verification> {
  const signature = await readSignature(join(directory, SIGNATURE_FILE), key)
  if (signature.state === 'refused') return { state: 'refused', problems: [{ path: SIGNATURE_FILE, problem: signature.problem }] }
  const signed = signedDigests(signature.statement)
  const { paths, problems } = await modelFiles(directory, mayBeUnsigned(signature.statement))
  const found: SignatureProblem[] = [...problems]
  for (const path of paths) {
    const expected = signed.get(path)
    if (expected === undefined) found.push({ path, problem: 'was added: it is not signed' })
    else if ((await sha256OfFile(join(directory, path), onBytes)) !== expected)
      found.push({ path, problem: 'was changed: its SHA-256 is not the one signed' })
  }
  const present = new Set([...paths, ...problems.map(({ path }) => path)])
  for (const path of signed.keys()) if (!present.has(path)) found.push({ path, problem: 'is missing' })
  if (found.length > 0) return { state: 'refused', problems: found.toSorted((a, b) => (a.path < b.path ? -1 : 1)) }
  return { state: 'verified', files: paths.length }
}

const signedDigests = ({ predicate }: SignedStatement): ReadonlyMap<string, string> =>
  new Map(predicate.resources.map(({ name, digest }) => [name, digest]))
