// The causes of a step in the words of the page, and what kind of time each is: work, exchange, waiting.

import type { Cause } from '@ironlaw/planner'

export type Nature = 'work' | 'exchange' | 'waiting'

export const CAUSE_WORDS: Readonly<Record<Cause, { readonly name: string; readonly nature: Nature }>> = {
  products: { name: 'matrix products', nature: 'work' },
  attention: { name: 'attention', nature: 'work' },
  vector: { name: 'vector work', nature: 'work' },
  recompute: { name: 'recomputation', nature: 'work' },
  optimizer: { name: 'optimizer', nature: 'work' },
  tensor: { name: 'tensor exchange', nature: 'exchange' },
  context: { name: 'context exchange', nature: 'exchange' },
  expert: { name: 'expert exchange', nature: 'exchange' },
  data: { name: 'data exchange', nature: 'exchange' },
  send: { name: 'between stages', nature: 'exchange' },
  offload: { name: 'offload', nature: 'exchange' },
  bubble: { name: 'pipeline bubble', nature: 'waiting' },
  straggler: { name: 'slowest node', nature: 'waiting' },
  launch: { name: 'kernel launch', nature: 'waiting' },
}
