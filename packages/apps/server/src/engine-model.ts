// Which file an engine opens: a GGUF that was named, or one of an exported version, which must be as it was exported.

import { existsSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { IronlawError } from '@ironlaw/contracts'
import { MODEL_VERSION, MODEL_VERSION_FILE } from '@ironlaw/contracts/model-version'
import type { KnownAnswer } from '@ironlaw/engines'
import { sha256OfFile } from './engine-export.ts'

export type ServedFile = { readonly file: string; readonly id: string; readonly known?: KnownAnswer }

/** The default: the smallest with negligible loss. */
const PREFERRED = ['q8_0', 'f16', 'f32', 'q4_0']

export async function servedFile(path: string, weights: string | undefined): Promise<ServedFile> {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isFile()) return { file: path, id: basename(path, '.gguf') }
  if (!existsSync(join(path, MODEL_VERSION_FILE)))
    throw new IronlawError('IL_FILE', { path, reason: `it is neither a GGUF nor a directory with ${MODEL_VERSION_FILE}` })
  const version = MODEL_VERSION.parse(JSON.parse(await readFile(join(path, MODEL_VERSION_FILE), 'utf8')))
  const kinds = weights === undefined ? PREFERRED : [weights]
  const chosen = kinds.flatMap((kind) => version.files.filter((file) => file.weights === kind)).at(0)
  if (!chosen)
    throw new IronlawError('IL_FILE', {
      path,
      reason: `it has no GGUF with ${kinds.join(' or ')} weights; "ironlaw export --format gguf" makes one`,
    })
  const file = join(path, chosen.path)
  if ((await sha256OfFile(file)) !== chosen.sha256)
    throw new IronlawError('IL_FILE', { path: file, reason: `its SHA-256 is not the one in ${MODEL_VERSION_FILE}` })
  const known = version.evaluation?.variants.find((variant) => variant.weights === chosen.weights)?.known
  return { file, id: version.name, ...(known && { known }) }
}
