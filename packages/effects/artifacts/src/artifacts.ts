// A storage with the key that salts its leaves. The key lies in the storage: who may read the content may read it too.

import { randomBytes } from 'node:crypto'
import { IronlawError } from '@ironlaw/contracts'
import type { ObjectStorage } from './object-storage.ts'

export type Artifacts = { readonly storage: ObjectStorage; readonly key: Buffer }

const KEY_OBJECT = 'ironlaw-artifacts.json'
const KEY_BYTES = 32

/** On first use it makes the key; of several that do so at once, all use the key of the first. Of a storage in use it is never made again. */
export async function openArtifacts(storage: ObjectStorage): Promise<Artifacts> {
  const present = await storage.get(KEY_OBJECT)
  if (present !== undefined) return { storage, key: keyIn(storage, present) }
  // Who makes the key writes it before anything else, so that here another may have made it since the look above.
  for await (const { key } of storage.list('manifests/')) {
    const late = await storage.get(KEY_OBJECT)
    if (late === undefined) throw keyLost(storage, key)
    return { storage, key: keyIn(storage, late) }
  }
  const content = Buffer.from(`${JSON.stringify({ format: 1, key: randomBytes(KEY_BYTES).toString('hex') })}\n`)
  if ((await storage.putNew(KEY_OBJECT, content)) === 'written') return { storage, key: keyIn(storage, content) }
  return { storage, key: keyIn(storage, (await storage.get(KEY_OBJECT)) ?? Buffer.alloc(0)) }
}

const RESTORE = 'restore that object from a backup: without it nothing in the storage can be verified'

const keyLost = (storage: ObjectStorage, manifest: string): IronlawError =>
  new IronlawError('IL_STORAGE', {
    act: 'use',
    key: KEY_OBJECT,
    storage: storage.url,
    reason: `the key is lost: it is not there, and ${manifest} is`,
    next: RESTORE,
  })

function keyIn(storage: ObjectStorage, content: Buffer): Buffer {
  const match = /^\{"format":(?<format>\d+)(?:,"key":"(?<key>[0-9a-f]{64})"\})?/.exec(content.toString('latin1'))
  if (match?.groups?.['format'] === '1' && match.groups['key'] !== undefined) return Buffer.from(match.groups['key'], 'hex')
  const format = match?.groups?.['format'] ?? 'unknown'
  throw new IronlawError('IL_STORAGE', {
    act: 'use',
    key: KEY_OBJECT,
    storage: storage.url,
    reason: format === '1' || format === 'unknown' ? 'it is damaged' : `its format ${format} is newer than this program`,
    next: format === '1' || format === 'unknown' ? RESTORE : 'update Ironlaw, or use another storage',
  })
}
