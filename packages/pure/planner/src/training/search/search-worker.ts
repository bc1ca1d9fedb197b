// One thread of a search: what it is sent and what it answers, as data. The caller owns the thread, a worker of Node or of a browser.

import type { Setup } from '../job.ts'
import { type SearchTask, searchShard, type ShardResult } from './search.ts'

/** `setup` comes with the first message, and again when it changes: profiles are remembered as long as it stays. */
export type SearchMessage = { readonly setup?: Setup; readonly search: SearchTask }

export function searchWorker(): (message: SearchMessage) => ShardResult {
  let known: Setup | undefined
  return ({ setup = known, search }) => {
    if (!setup) throw new Error('the first message to a search worker carries the setup')
    known = setup
    return searchShard(setup, search)
  }
}
