// Planning as steps: it asks for searches and goes on with what they found, so that the same planning runs in one thread or over several.

import type { Setup } from '../job.ts'
import { type ProgressCallback, search, type SearchTask, type SearchResult } from './search.ts'

export type SearchSteps<T> = Generator<readonly SearchTask[], T, readonly SearchResult[]>

export function runSearchSteps<T>(setup: Setup, steps: SearchSteps<T>, progress?: ProgressCallback): T {
  let step = steps.next()
  while (step.done !== true) step = steps.next(step.value.map((asked) => search(setup, { ...asked, ...(progress && { progress }) })))
  return step.value
}
