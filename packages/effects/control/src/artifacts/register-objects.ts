// Registers an artifact whose objects are in the storage. It looks for all of them first, without a lock; then, under the lock, once more for
// those that a collection has removed or may be removing, so that what is registered is there.

import { type Artifacts, missingObjects, objectKeys, readManifest } from '@ironlaw/artifacts'
import { IronlawError } from '@ironlaw/contracts'
import { artifactId, type ArtifactManifest, objectKey } from '@ironlaw/contracts/artifact'
import type { Artifact, ArtifactAuthor } from '@ironlaw/store'
import { isLookRecent, secondLook } from './collection-rules.ts'
import type { CollectionTables, OpenRegistration } from './collection-tables.ts'

type Registrar = {
  readonly tables: Pick<CollectionTables, 'registering'>
  readonly artifacts: Artifacts
  readonly now: () => number
}

export type Registering = {
  readonly project: string
  readonly manifest: ArtifactManifest
  readonly name?: string
  /** A run of the project. */
  readonly made_by?: string
  readonly author: ArtifactAuthor
}

export type Registered =
  | { readonly state: 'registered'; readonly artifact: Artifact }
  /** At most a thousand. */
  | { readonly state: 'missing'; readonly keys: readonly string[] }

const MOST_MISSING = 1000
const KEYS_AT_ONCE = 10_000

export async function registerObjects({ tables, artifacts, now }: Registrar, request: Registering): Promise<Registered> {
  const looked_at = now()
  const { project, manifest, author, ...rest } = request
  const missing = await missingOf(artifacts, manifest)
  if (missing.length > 0) return { state: 'missing', keys: missing }
  const keys = await keysOf(artifacts, manifest)
  return tables.registering(async (open) => {
    if (!isLookRecent(looked_at, now())) throw unavailable('it took too long to look for the objects')
    const again = await collectedOf(open, keys)
    const second = secondLook(again, now())
    if (second.decision === 'wait')
      throw unavailable(`objects of this artifact are being removed, for ${Math.ceil(second.wait_s)} s at most`)
    const gone = await absentOf(artifacts, second.keys)
    if (gone.length > 0) return { state: 'missing', keys: gone.slice(0, MOST_MISSING) }
    const artifact = await open.register({ project, ...summaryOf(manifest), ...rest }, author)
    await open.forget(second.keys)
    return { state: 'registered', artifact }
  })
}

async function missingOf(artifacts: Artifacts, manifest: ArtifactManifest): Promise<readonly string[]> {
  const missing: string[] = []
  for await (const key of missingObjects(artifacts, manifest)) {
    missing.push(key)
    if (missing.length === MOST_MISSING) return missing
  }
  if (missing.length > 0) return missing
  const id = artifactId(manifest)
  // Under its key may be something else: a collection that cannot read it could never go on.
  return (await isReadable(artifacts, id)) ? [] : [objectKey.manifest(id)]
}

async function isReadable(artifacts: Artifacts, id: string): Promise<boolean> {
  try {
    await readManifest(artifacts, id)
    return true
  } catch (cause) {
    if (cause instanceof IronlawError && (cause.code === 'IL_NOT_FOUND' || cause.code === 'IL_DAMAGED')) return false
    throw cause
  }
}

async function keysOf(artifacts: Artifacts, manifest: ArtifactManifest): Promise<readonly string[]> {
  try {
    return await Array.fromAsync(objectKeys(artifacts, manifest))
  } catch (cause) {
    if (cause instanceof IronlawError && cause.code === 'IL_DAMAGED') throw unavailable('an object was removed meanwhile', cause)
    throw cause
  }
}

const unavailable = (reason: string, cause?: unknown): IronlawError =>
  new IronlawError('IL_UNAVAILABLE', { what: 'the storage of artifacts', reason }, { cause, next: 'register it again in a minute' })

async function collectedOf(open: OpenRegistration, keys: readonly string[]): ReturnType<OpenRegistration['collectedAmong']> {
  const collected = []
  for (let from = 0; from < keys.length; from += KEYS_AT_ONCE)
    collected.push(...(await open.collectedAmong(keys.slice(from, from + KEYS_AT_ONCE))))
  return collected
}

async function absentOf({ storage }: Artifacts, keys: readonly string[]): Promise<readonly string[]> {
  const absent: string[] = []
  for (const key of keys) if (!(await storage.has(key))) absent.push(key)
  return absent
}

function summaryOf(manifest: ArtifactManifest) {
  const { type, files, facts } = manifest
  return {
    id: artifactId(manifest),
    type,
    facts,
    files: files.length,
    bytes: files.reduce((total, file) => total + file.bytes, 0),
    leaves: files.reduce((total, file) => total + file.leaves, 0),
  }
}
