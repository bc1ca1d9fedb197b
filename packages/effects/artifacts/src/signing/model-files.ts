// The files of a directory that a signature is about. Links are refused: what they lead to can change without the directory.

import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { IronlawError, systemError } from '@ironlaw/contracts'
import { MOST_ARTIFACT_FILES } from '@ironlaw/contracts/artifact'
import type { SignatureProblem } from './statement.ts'

type ModelFiles = { readonly paths: readonly string[]; readonly problems: readonly SignatureProblem[] }

export async function modelFiles(directory: string, isIgnored: (path: string) => boolean): Promise<ModelFiles> {
  const paths: string[] = []
  const problems: SignatureProblem[] = []
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(directory, folder), { withFileTypes: true })) {
      const path = `${folder}${entry.name}`
      if (isIgnored(path)) continue
      if (entry.isDirectory()) await walk(`${path}/`)
      else if (entry.isFile()) paths.push(path)
      else problems.push({ path, problem: entry.isSymbolicLink() ? 'is a symbolic link' : 'is neither a file nor a directory' })
      if (paths.length > MOST_ARTIFACT_FILES)
        throw new IronlawError('IL_LIMIT', {
          what: 'files in one model',
          limit: MOST_ARTIFACT_FILES,
          next: 'pack them into fewer, larger files',
        })
    }
  }
  try {
    if (!(await stat(directory)).isDirectory()) throw new IronlawError('IL_FILE', { path: directory, reason: 'it is no directory' })
    await walk('')
  } catch (cause) {
    throw systemError(cause) ?? cause
  }
  return { paths: paths.toSorted(), problems }
}
