// A storage that answers in time or counts as away. A call that hangs cannot be ended, and in a directory it holds one of the few threads of
// this process: so only some calls are under way at once, and while they all hang, further ones fail at once.

import type { ObjectStorage } from '@ironlaw/artifacts'
import { IronlawError } from '@ironlaw/contracts'

type PromptLimits = { readonly answer_ms: number; readonly atOnce: number }

/** Node has four threads for files; requests over the network need none. */
const promptLimits = (url: string): PromptLimits => ({ answer_ms: 10_000, atOnce: url.startsWith('s3:') ? 32 : 2 })

type Call = <T>(work: () => Promise<T>) => Promise<T>

export function promptStorage(storage: ObjectStorage, limits = promptLimits(storage.url)): ObjectStorage {
  const call = promptCalls(limits)
  return {
    url: storage.url,
    put: (key, content) => call(() => storage.put(key, content)),
    putNew: (key, content) => call(() => storage.putNew(key, content)),
    get: (key) => call(() => storage.get(key)),
    has: (key) => call(() => storage.has(key)),
    remove: (key) => call(() => storage.remove(key)),
    list: (prefix) => promptList(storage.list(prefix), call),
  }
}

async function* promptList<T>(list: AsyncIterable<T>, call: Call): AsyncGenerator<T> {
  const items = list[Symbol.asyncIterator]()
  for (;;) {
    const next = await call(() => items.next())
    if (next.done === true) return
    yield next.value
  }
}

function promptCalls({ answer_ms, atOnce }: PromptLimits): Call {
  let underWay = 0
  let hanging = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (hanging >= atOnce) throw away(`${hanging} calls hang`)
    if (underWay >= atOnce) await new Promise<void>((resolve) => void waiting.push(resolve))
    underWay += 1
    const { promise: late, reject } = Promise.withResolvers<never>()
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      hanging += 1
      reject(away(`no answer for ${answer_ms / 1000} s`))
      // Whoever waits finds out at once.
      if (hanging >= atOnce) for (const resume of waiting.splice(0)) resume()
    }, answer_ms)
    const ended = (): void => {
      clearTimeout(timer)
      underWay -= 1
      if (isLate) hanging -= 1
      waiting.shift()?.()
    }
    const working = hanging >= atOnce ? Promise.reject(away(`${hanging} calls hang`)) : work()
    void working.then(ended, ended)
    return Promise.race([working, late])
  }
}

const away = (reason: string): IronlawError => new IronlawError('IL_UNAVAILABLE', { what: 'the storage of artifacts', reason })
