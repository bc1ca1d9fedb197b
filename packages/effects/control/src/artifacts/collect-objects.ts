// Removes objects that no artifact needs. First it reads which keys are needed, then it goes through the storage and removes batches of the
// others: claims them in one transaction, and in a second, under the lock held alone, reads what was registered meanwhile and removes the rest.
// Killed anywhere it has removed only what nobody needs; collectors and registrations may go on at the same time.

import { randomUUID } from 'node:crypto'
import { IronlawError } from '@ironlaw/contracts'
import { type Artifacts, objectKeys, readManifest, type StoredObject } from '@ironlaw/artifacts'
import { CLAIM_S, isGarbage, mayBeginRemoval, REMEMBERED_S, UPLOAD_S } from './collection-rules.ts'
import type { CollectionTables, NeededArtifact, OpenRemoval } from './collection-tables.ts'

type Collector = {
  readonly tables: CollectionTables
  readonly artifacts: Artifacts
  /** Unix seconds. */
  readonly now: () => number
  /** Objects that are removed under one lock. */
  readonly batch?: number
  /** Uploads that nobody has registered yet are kept for this long. */
  readonly youngest_s?: number
}

/** What has happened since the last one. */
export type CollectionStep = { readonly objects: number; readonly bytes: number; readonly kept: number }

const BATCH = 200
const PAGE = 1000
const REMOVED_AT_ONCE = 16
const PREFIXES = ['chunks/', 'lists/', 'manifests/']
const NOTHING: CollectionStep = { objects: 0, bytes: 0, kept: 0 }

/** The keys that artifacts need, of all that were registered up to a sequence. */
type Needed = { readonly keys: Set<string>; readonly ids: Set<string>; upTo: number }

/** In steps, so that the caller decides how long it goes on. */
export async function* collectObjects(collector: Collector): AsyncGenerator<CollectionStep> {
  const { tables, artifacts, now, batch = BATCH, youngest_s = UPLOAD_S } = collector
  await tables.forgetBefore(now() - REMEMBERED_S)
  const needed: Needed = { keys: new Set(), ids: new Set(), upTo: 0 }
  yield* readNeeded(collector, needed)
  let garbage: StoredObject[] = []
  for (const prefix of PREFIXES) {
    let kept = 0
    for await (const object of artifacts.storage.list(prefix)) {
      if (isGarbage(object, { needed: needed.keys, before_at: now() - youngest_s })) garbage.push(object)
      else kept += 1
      if (garbage.length < batch && kept < PAGE) continue
      if (garbage.length >= batch) {
        yield await removeGarbage(collector, needed, garbage)
        garbage = []
      }
      yield { ...NOTHING, kept }
      kept = 0
    }
    yield { ...NOTHING, kept }
  }
  if (garbage.length > 0) yield await removeGarbage(collector, needed, garbage)
}

async function* readNeeded(collector: Collector, needed: Needed): AsyncGenerator<CollectionStep> {
  const highest = await collector.tables.highest()
  let after = needed.upTo
  for (;;) {
    const page = await collector.tables.needed({ after, limit: PAGE })
    for (const artifact of page) {
      await addKeys(collector, needed, artifact)
      yield NOTHING
    }
    after = page.at(-1)?.sequence ?? highest
    if (page.length < PAGE || after >= highest) break
  }
  needed.upTo = highest
}

/** Of one that was removed since, the manifest may be gone. */
async function addKeys({ tables, artifacts }: Collector, { keys, ids }: Needed, { id, sequence }: NeededArtifact): Promise<void> {
  if (ids.has(id)) return
  try {
    const own = await Array.fromAsync(objectKeys(artifacts, await readManifest(artifacts, id)))
    for (const key of own) keys.add(key)
    ids.add(id)
  } catch (cause) {
    if (!(cause instanceof IronlawError)) throw cause
    const [next] = await tables.needed({ after: sequence - 1, limit: 1 })
    if (next?.sequence === sequence) throw cause.code === 'IL_DAMAGED' || cause.code === 'IL_NOT_FOUND' ? unreadable(id, cause) : cause
  }
}

/** What it needs is not known, so nothing that nobody else needs may be removed. */
const unreadable = (id: string, cause: IronlawError): IronlawError =>
  new IronlawError(
    'IL_CONFLICT',
    {
      problem: `nothing can be collected while it is unknown what artifact ${id} needs: ${cause.message}`,
      next: `run "ironlaw artifact verify ${id}" and add its files again, or remove it with "ironlaw artifact delete ${id}"`,
    },
    { cause },
  )

async function removeGarbage(collector: Collector, needed: Needed, garbage: readonly StoredObject[]): Promise<CollectionStep> {
  const { tables, now } = collector
  // What was registered since is read outside of the lock as far as possible.
  await Array.fromAsync(readNeeded(collector, needed))
  const keys = garbage.flatMap(({ key }) => (needed.keys.has(key) ? [] : key))
  const claim = randomUUID()
  const claimed_at = now()
  const claimed = await tables.claim({ keys, claim, at: claimed_at, void_before: claimed_at - CLAIM_S })
  const removed = await tables.removing(async (open) => {
    const own = new Set(await open.claimed(claim, claimed))
    await readNewest(collector, needed, open)
    const unneeded = garbage.filter(({ key }) => own.has(key) && !needed.keys.has(key))
    if (!mayBeginRemoval(claimed_at, now())) return []
    await removeAll(collector, unneeded)
    await open.settle(claim, claimed)
    return unneeded
  })
  return { objects: removed.length, bytes: removed.reduce((total, { bytes }) => total + bytes, 0), kept: garbage.length - removed.length }
}

/** Under the lock held alone: nobody registers meanwhile. */
async function readNewest(collector: Collector, needed: Needed, open: OpenRemoval): Promise<void> {
  const inLock = { ...collector, tables: { ...collector.tables, needed: open.needed } }
  for (;;) {
    const page = await open.needed({ after: needed.upTo, limit: PAGE })
    for (const artifact of page) {
      await addKeys(inLock, needed, artifact)
      needed.upTo = artifact.sequence
    }
    if (page.length < PAGE) return
  }
}

/** A removal that fails may take effect later: its claim then stays, and who needs the object waits until it is void. */
async function removeAll({ artifacts: { storage } }: Collector, objects: readonly StoredObject[]): Promise<void> {
  for (let from = 0; from < objects.length; from += REMOVED_AT_ONCE) {
    const ended = await Promise.allSettled(objects.slice(from, from + REMOVED_AT_ONCE).map(({ key }) => storage.remove(key)))
    const failed = ended.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  }
}
