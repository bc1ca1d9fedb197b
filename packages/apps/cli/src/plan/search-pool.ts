// Parallel search over all processors. Every search is split into parts; the first ones run here and show whether the rest justifies
// threads, and this thread keeps searching alongside them. The merged result equals that of a single-threaded search.

import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import {
  mergedShards,
  type SearchTask,
  type SearchResult,
  searchShard,
  type SearchSteps,
  type Setup,
  type Shard,
  type ShardResult,
} from '@ironlaw/planner'
import { SearchThread } from './search-thread.ts'

const SHARDS = 16
/** With less left to do, threads cost more than they save: each first loads the planner, a quarter of a second of processor time. */
const MIN_REMAINING_ms = 500
const MAX_THREADS = 8
/** A thread has its next part queued when it finishes one. */
const AHEAD = 2

type PoolOptions = {
  readonly progress?: (tried: number) => void
  readonly threads?: number
  /** Start threads only if at least this many milliseconds of searching are left. */
  readonly worth_ms?: number
  /** The script that a thread runs. */
  readonly program?: URL
}

export async function searchInPool<T>(setup: Setup, steps: SearchSteps<T>, options: PoolOptions = {}): Promise<T> {
  const threads: SearchThread[] = []
  try {
    let step = steps.next()
    while (step.done !== true) step = steps.next(await runSearches({ setup, threads, options }, step.value))
    return step.value
  } finally {
    await Promise.all(threads.map((thread) => thread.end()))
  }
}

type Pool = { readonly setup: Setup; readonly threads: SearchThread[]; readonly options: PoolOptions }

type SearchShard = { readonly of: number; readonly search: SearchTask & { readonly shard: Shard } }

async function runSearches({ setup, threads, options }: Pool, searches: readonly SearchTask[]): Promise<readonly SearchResult[]> {
  const { progress, worth_ms = MIN_REMAINING_ms } = options
  const most = Math.min(options.threads ?? availableParallelism(), MAX_THREADS)
  const results: ShardResult[][] = searches.map(() => [])
  const queue: SearchShard[] = searches.flatMap((search, of) =>
    Array.from({ length: SHARDS }, (_, index) => ({ of, search: { ...search, shard: { index, of: SHARDS } } })),
  )
  const addResult = ({ of }: SearchShard, result: ShardResult): void => {
    results[of]?.push(result)
    progress?.(result.tried)
  }
  // Parts with the same index divide layers alike in every search, so a thread that keeps its index can reuse cached profiles.
  const take = (own: number): SearchShard | undefined => {
    const at = queue.findIndex(({ search }) => search.shard.index % most === own)
    return queue.splice(Math.max(0, at), 1)[0]
  }
  const lane = async (thread: SearchThread, own: number): Promise<void> => {
    for (let part = take(own); part; part = take(own)) {
      const result = await thread.search(part.search)
      if (!result) return void queue.push(part)
      addResult(part, result)
    }
  }
  const lanes = (thread: SearchThread, index: number): Promise<void>[] => Array.from({ length: AHEAD }, () => lane(thread, index + 1))
  const working = threads.flatMap(lanes)
  const start = performance.now()
  let done = 0
  for (let part = take(0); part; part = take(0)) {
    addResult(part, searchShard(setup, part.search))
    done += 1
    if (threads.length === 0 && ((performance.now() - start) / done) * queue.length > worth_ms) {
      threads.push(...Array.from({ length: most - 1 }, () => new SearchThread(setup, options.program)))
      working.push(...threads.flatMap(lanes))
    }
    if (threads.length > 0) await setImmediate()
  }
  await Promise.all(working)
  // Parts of a thread that died are searched here, or fail with their own error.
  for (let part = queue.shift(); part; part = queue.shift()) addResult(part, searchShard(setup, part.search))
  return searches.map(({ limits }, of) => mergedShards(results[of] ?? [], limits))
}
