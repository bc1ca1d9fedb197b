// The routers by the names that a configuration uses.

import { kvAware } from './kv-aware.ts'
import { leastTokens } from './least-tokens.ts'
import { prefixAware } from './prefix-aware.ts'
import { roundRobin } from './round-robin.ts'
import type { Router } from './route-view.ts'
import { sticky } from './sticky.ts'
import { twoChoices } from './two-choices.ts'

export const ROUTERS = {
  'round-robin': roundRobin,
  'two-choices': twoChoices,
  'least-tokens': leastTokens,
  'prefix-aware': prefixAware,
  'kv-aware': kvAware,
  sticky,
} as const satisfies Record<string, Router>

export type RouterName = keyof typeof ROUTERS

/** Whether the router reads `cachedTokens`: hashing a long prompt takes tens of microseconds that the others need not pay. */
export const readsPrefixes = (name: RouterName): boolean => name === 'prefix-aware' || name === 'kv-aware'
