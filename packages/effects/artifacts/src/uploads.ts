// Objects on their way to the storage: many at once, so that small ones do not wait for each other, but never more bytes than fit in memory.

import type { ObjectStorage } from './object-storage.ts'

const MOST_AT_ONCE = 32
const MOST_BYTES = 96 * 1024 * 1024

type Upload = { readonly key: string; readonly bytes: number; readonly content: () => Promise<Buffer> | Buffer }

export type Uploads = {
  /** Returns when there is room for more; throws what an earlier one failed with. */
  readonly add: (upload: Upload) => Promise<void>
  /** Returns when none is under way, whatever became of them. */
  readonly settle: () => Promise<void>
  /** Returns when all are in the storage. */
  readonly finish: () => Promise<void>
  readonly written: () => { readonly objects: number; readonly bytes: number }
}

/** Keys in `again` are written whether the storage has them or not. */
export function startUploads(storage: ObjectStorage, again: ReadonlySet<string> = new Set()): Uploads {
  const pending = new Map<string, Promise<void>>()
  const finished = new Set<string>()
  let [inFlight, objects, bytes] = [0, 0, 0]
  const failures: unknown[] = []
  const upload = async ({ key, content }: Upload): Promise<void> => {
    if (!again.has(key) && (await storage.has(key))) return
    const object = await content()
    await storage.put(key, object)
    objects += 1
    bytes += object.length
  }
  const track = async (next: Upload): Promise<void> => {
    try {
      await upload(next)
      finished.add(next.key)
    } catch (cause) {
      failures.push(cause)
    } finally {
      inFlight -= next.bytes
      pending.delete(next.key)
    }
  }
  const settle = async (): Promise<void> => {
    await Promise.all(pending.values())
  }
  return {
    add: async (next) => {
      if (failures.length > 0) throw failures[0]
      if (pending.has(next.key) || finished.has(next.key)) return
      while (pending.size >= MOST_AT_ONCE || (pending.size > 0 && inFlight + next.bytes > MOST_BYTES)) {
        await Promise.race(pending.values())
        if (failures.length > 0) throw failures[0]
      }
      inFlight += next.bytes
      pending.set(next.key, track(next))
    },
    settle,
    finish: async () => {
      await settle()
      if (failures.length > 0) throw failures[0]
    },
    written: () => ({ objects, bytes }),
  }
}
