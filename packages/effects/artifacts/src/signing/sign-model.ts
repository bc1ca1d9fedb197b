// Signs the files of a directory and writes the signature next to them.

import { randomUUID } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { IronlawError, systemError } from '@ironlaw/contracts'
import { ARTIFACT_PATH } from '@ironlaw/contracts/artifact'
import { SIGNATURE_FILE } from '@ironlaw/contracts/model-signature'
import { sha256OfFile } from './file-digest.ts'
import { modelFiles } from './model-files.ts'
import { MOST_SIGNATURE_BYTES } from './read-signature.ts'
import { signStatement } from './signature-bundle.ts'
import type { SigningKey } from './signing-keys.ts'
import { NOT_SIGNED, type SignedFile, signedStatement } from './statement.ts'

export type HashOptions = { readonly onBytes?: (count: number) => void }

export async function signModel(directory: string, key: SigningKey, { onBytes }: HashOptions = {}): Promise<readonly SignedFile[]> {
  const { paths, problems } = await modelFiles(directory, (path) => NOT_SIGNED.includes(path))
  const [unfit] = [
    ...problems.map(({ path, problem }) => ({ path, reason: `it ${problem}, which cannot be signed` })),
    ...paths.filter((path) => !ARTIFACT_PATH.safeParse(path).success).map((path) => ({ path, reason: 'its name cannot be signed' })),
  ]
  if (unfit)
    throw new IronlawError(
      'IL_FILE',
      { path: join(directory, unfit.path), reason: unfit.reason },
      { next: 'move it out of the directory, or put a file with a plain name in its place' },
    )
  if (paths.length === 0) throw new IronlawError('IL_FILE', { path: directory, reason: 'there is no file to sign in it' })
  const files: SignedFile[] = []
  for (const path of paths) files.push({ path, sha256: await sha256OfFile(join(directory, path), onBytes) })
  const text = JSON.stringify(signStatement(signedStatement(basename(resolve(directory)), files), key))
  if (text.length > MOST_SIGNATURE_BYTES)
    throw new IronlawError('IL_LIMIT', {
      what: 'bytes of a signature',
      limit: MOST_SIGNATURE_BYTES,
      next: 'pack the files into fewer, larger ones',
    })
  await writeWhole(join(directory, SIGNATURE_FILE), text)
  return files
}

async function writeWhole(path: string, text: string): Promise<void> {
  const partial = `${path}.${randomUUID()}`
  try {
    await writeFile(partial, text)
    await rename(partial, path)
  } catch (cause) {
    await rm(partial, { force: true })
    throw systemError(cause) ?? cause
  }
}
