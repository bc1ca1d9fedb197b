// Looks at storage without blocking other work: a caller waits a moment, then does without, and finds the answer when it comes back. While
// storage is slow no caller waits at all, so that a round over many runs takes no longer than one over few.

import type { StorageAway } from './shared-storage.ts'

export type PromptLooks = <T>(key: string, begin: () => Promise<T>) => Promise<T | StorageAway>

/** A healthy file system answers within this. */
const MOMENT_MS = 250
/** An answer that no caller fetched is dropped: it would be old. */
const KEPT_MS = 5000

const NOT_YET = { away: 'it has not answered yet' } as const

export function promptLooks(): PromptLooks {
  const looks = new Map<string, Promise<unknown>>()
  let isSlow = false

  function startLook<T>(key: string, begin: () => Promise<T>): Promise<T> {
    const at = performance.now()
    const look = begin()
    looks.set(key, look)
    const finishLook = (): void => {
      isSlow = performance.now() - at > MOMENT_MS
      const drop = (): boolean => looks.get(key) === look && looks.delete(key)
      setTimeout(drop, KEPT_MS).unref()
    }
    look.then(finishLook, finishLook)
    return look
  }

  return async <T>(key: string, begin: () => Promise<T>) => {
    const look = (looks.get(key) as Promise<T> | undefined) ?? startLook(key, begin)
    const { promise, resolve } = Promise.withResolvers<typeof NOT_YET>()
    const timer = setTimeout(() => resolve(NOT_YET), isSlow ? 0 : MOMENT_MS)
    try {
      const outcome = await Promise.race([look, promise])
      if (outcome === NOT_YET) isSlow = true
      else if (looks.get(key) === look) looks.delete(key)
      return outcome
    } finally {
      clearTimeout(timer)
    }
  }
}
