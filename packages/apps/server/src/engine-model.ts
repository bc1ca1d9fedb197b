// Which file an engine opens: a GGUF that was named, or one of an exported version, which must be as it was exported and, where a signature
// is required, as it was signed.

import { hash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readPublicKey, readSignature, sha256OfFile } from '@ironlaw/artifacts/signing'
import { IronlawError } from '@ironlaw/contracts'
import { SIGNATURE_FILE } from '@ironlaw/contracts/model-signature'
import { MODEL_VERSION, MODEL_VERSION_FILE, type ModelFile } from '@ironlaw/contracts/model-version'
import type { KnownAnswer } from '@ironlaw/engines'

export type ServedFile = {
  readonly file: string
  readonly id: string
  readonly known?: KnownAnswer
  /** SHA-256 of the file, by the version that it is of. */
  readonly sha256?: string
  /** Reads the whole file and throws where it is not the one that was exported. */
  readonly check: () => Promise<void>
}

export type ServeOptions = {
  readonly weights?: string | undefined
  /** A public key: what was not signed with its private half is refused. */
  readonly signedBy?: string | undefined
  /** SHA-256 of the record of the version that is to be served: any other is refused. */
  readonly versionDigest?: string | undefined
}

/** The default: the smallest with negligible loss. */
const PREFERRED = ['q8_0', 'f16', 'f32', 'q4_0']

export async function servedFile(path: string, { weights, signedBy, versionDigest }: ServeOptions): Promise<ServedFile> {
  const signature = signedBy === undefined ? undefined : await openSignature(path, signedBy)
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isFile() && versionDigest !== undefined)
    throw otherVersion(path, `it is a single file, and the version has a ${MODEL_VERSION_FILE}`)
  if (found?.isFile()) return { file: path, id: basename(path, '.gguf'), check: () => Promise.resolve() }
  if (!existsSync(join(path, MODEL_VERSION_FILE)))
    throw new IronlawError('IL_FILE', { path, reason: `it is neither a GGUF nor a directory with ${MODEL_VERSION_FILE}` })
  const text = await readFile(join(path, MODEL_VERSION_FILE))
  signature?.(MODEL_VERSION_FILE, hash('sha256', text))
  if (versionDigest !== undefined && hash('sha256', text) !== versionDigest)
    throw otherVersion(path, `the SHA-256 of its ${MODEL_VERSION_FILE} is not ${versionDigest}`)
  const version = MODEL_VERSION.parse(JSON.parse(text.toString('utf8')))
  const chosen = chooseWeights(path, version.files, weights)
  const file = join(path, chosen.path)
  const check = async (): Promise<void> => {
    if ((await sha256OfFile(file)) !== chosen.sha256)
      throw new IronlawError(
        'IL_FILE',
        { path: file, reason: `its SHA-256 is not the one in ${MODEL_VERSION_FILE}` },
        { next: 'get the version again from where it was exported; do not serve this file' },
      )
  }
  signature?.(chosen.path, chosen.sha256)
  // Who requires a signature or a version does not trust the file, so no parser sees it before it was verified.
  const isStrict = signature !== undefined || versionDigest !== undefined
  if (isStrict) await check()
  const known = version.evaluation?.variants.find((variant) => variant.weights === chosen.weights)?.known
  return { file, id: version.name, sha256: chosen.sha256, ...(known && { known }), check: isStrict ? () => Promise.resolve() : check }
}

const otherVersion = (path: string, reason: string): IronlawError =>
  new IronlawError(
    'IL_FILE',
    { path, reason: `it is not the version that the revision names: ${reason}` },
    { next: 'restore that version there ("ironlaw artifact restore VERSION --to DIR"), or make a revision that names this one' },
  )

function chooseWeights(path: string, files: readonly ModelFile[], weights: string | undefined): ModelFile {
  const kinds = weights === undefined ? PREFERRED : [weights]
  const chosen = kinds.flatMap((kind) => files.filter((file) => file.weights === kind)).at(0)
  if (chosen) return chosen
  const reason = `it has no GGUF with ${kinds.join(' or ')} weights; "ironlaw export --format gguf" makes one`
  throw new IronlawError('IL_FILE', { path, reason })
}

/** Refuses files that were not signed with this digest. Only what the engine opens is compared: the other kinds of weights are not read. */
async function openSignature(directory: string, key: string): Promise<(path: string, sha256: string) => void> {
  const refusal = (path: string, problem: string) => new IronlawError('IL_SIGNATURE', { directory, path, problem, key })
  if (statSync(directory, { throwIfNoEntry: false })?.isFile())
    throw refusal(basename(directory), 'is a single file, and signatures are over directories')
  const signature = await readSignature(join(directory, SIGNATURE_FILE), await readPublicKey(key))
  if (signature.state === 'refused') throw refusal(SIGNATURE_FILE, signature.problem)
  const signed = new Map(signature.statement.predicate.resources.map(({ name, digest }) => [name, digest]))
  return (path, sha256) => {
    const expected = signed.get(path)
    if (expected === undefined) throw refusal(path, 'is not signed')
    if (expected !== sha256) throw refusal(path, 'is not the one that was signed')
  }
}
