// Artifacts of a site: its storage, opened when it is first needed, and what is done there for the API.

import { type Artifacts, diff, openArtifacts, openStorage, readManifest } from '@ironlaw/artifacts'
import { type ErrorCode, IronlawError } from '@ironlaw/contracts'
import type { ArtifactManifest } from '@ironlaw/contracts/artifact'
import type { ArtifactCollection, ArtifactContent, ArtifactDiff } from '@ironlaw/contracts/artifact-operations'
import type { Database } from '@ironlaw/store'
import { artifactContent, type FilePart } from './artifact-content.ts'
import { collectObjects, type CollectionStep } from './collect-objects.ts'
import { collectionTables } from './collection-tables.ts'
import { promptStorage } from './prompt-storage.ts'
import { type Registered, type Registering, registerObjects } from './register-objects.ts'

export type SiteArtifacts = {
  /** As the site's operator gave it. */
  readonly url: () => string
  readonly register: (request: Registering) => Promise<Registered>
  readonly manifest: (id: string) => Promise<ArtifactManifest>
  readonly file: (id: string, part: FilePart) => Promise<ArtifactContent>
  readonly diff: (from: string, to: string) => Promise<ArtifactDiff>
  /** For ten seconds; the next call goes on where it stopped. */
  readonly collect: () => Promise<ArtifactCollection>
}

type SiteOptions = { readonly database: Database; readonly url: string; readonly now: () => number }

const COLLECT_MS = 10_000

export function siteArtifacts({ database, url, now }: SiteOptions): SiteArtifacts {
  const tables = collectionTables(database)
  let opening: Promise<Artifacts> | undefined
  const open = async (): Promise<Artifacts> => {
    opening ??= openArtifacts(promptStorage(openStorage(url)))
    try {
      return await opening
    } catch (cause) {
      opening = undefined
      throw cause
    }
  }
  return {
    url: () => url,
    register: (request) => asProblem(async () => registerObjects({ tables, artifacts: await open(), now }, request)),
    manifest: (id) => asProblem(async () => readManifest(await open(), id)),
    file: (id, part) =>
      asProblem(async () => {
        const artifacts = await open()
        return artifactContent(artifacts, await readManifest(artifacts, id), part)
      }),
    diff: (from, to) =>
      asProblem(async () => {
        const artifacts = await open()
        return diff(artifacts, await readManifest(artifacts, from), await readManifest(artifacts, to))
      }),
    collect: resumed(async () => collectObjects({ tables, artifacts: await open(), now })),
  }
}

function resumed(begin: () => Promise<AsyncGenerator<CollectionStep>>): () => Promise<ArtifactCollection> {
  let collecting: AsyncGenerator<CollectionStep> | undefined
  let isBusy = false
  return async () => {
    if (isBusy) throw new IronlawError('IL_CONFLICT', { problem: 'a collection is under way', next: 'wait for it, and call again' })
    isBusy = true
    try {
      const steps = collecting ?? (await asProblem(begin))
      const outcome = await asProblem(() => collectFor(steps, COLLECT_MS))
      collecting = outcome.done ? undefined : steps
      return outcome
    } catch (cause) {
      collecting = undefined
      throw cause
    } finally {
      isBusy = false
    }
  }
}

async function collectFor(steps: AsyncGenerator<CollectionStep>, limit_ms: number): Promise<ArtifactCollection> {
  const total = { objects: 0, bytes: 0, kept: 0 }
  const until = performance.now() + limit_ms
  while (performance.now() < until) {
    const step = await steps.next()
    if (step.done === true) return { ...total, done: true }
    total.objects += step.value.objects
    total.bytes += step.value.bytes
    total.kept += step.value.kept
  }
  return { ...total, done: false }
}

const OF_STORAGE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['IL_STORAGE', 'IL_FILE', 'IL_WRITE', 'IL_DISK_FULL'])

/** What a client learns of a storage that fails. */
async function asProblem<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof IronlawError) || !OF_STORAGE.has(cause.code)) throw cause
    throw new IronlawError('IL_UNAVAILABLE', { what: 'the storage of artifacts', reason: cause.message }, { cause })
  }
}

const none = (): IronlawError =>
  new IronlawError(
    'IL_NOT_FOUND',
    { kind: 'storage of artifacts', id: 'of this site' },
    { next: 'start the control plane with --artifacts URL' },
  )

/** For a control plane without storage. */
export const NO_ARTIFACTS: SiteArtifacts = {
  url: () => {
    throw none()
  },
  register: () => Promise.reject(none()),
  manifest: () => Promise.reject(none()),
  file: () => Promise.reject(none()),
  diff: () => Promise.reject(none()),
  collect: () => Promise.reject(none()),
}
