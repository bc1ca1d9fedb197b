// Planning as steps: it asks for searches and goes on with what they found, so that the same planning runs in one thread or over several.

import type { Setup } from './layer-time.ts'
import { type Progress, search, type Search, type SearchResult } from './search.ts'

export type SearchSteps<T> = Generator<readonly Search[], T, readonly SearchResult[]>

export function searchedInline<T>(setup: Setup, steps: SearchSteps<T>, progress?: Progress): T {
  let step = steps.next()
  while (step.done !== true) step = steps.next(step.value.map((asked) => search(setup, { ...asked, ...(progress && { progress }) })))
  return step.value
}
