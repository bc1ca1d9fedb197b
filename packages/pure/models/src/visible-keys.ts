// How many keys the queries of one sequence see. Positions context+1 ... context+queries are new.

import type { Mask } from './architecture.ts'

export type Span = { readonly queries: number; readonly context: number; readonly source: number }

/** Query-key pairs that are not masked: the exact triangle, not half a square. */
export function visiblePairs(mask: Mask, { queries, context, source }: Span): number {
  switch (mask.kind) {
    case 'causal':
      return queries * context + triangle(queries)
    case 'bidirectional':
      return queries * (context + queries)
    case 'cross':
      return queries * source
    case 'sliding': {
      const filling = Math.min(Math.max(mask.window - context, 0), queries)
      return filling * context + triangle(filling) + (queries - filling) * mask.window
    }
    case 'chunked':
      return chunkedPairs(context + queries, mask.chunk) - chunkedPairs(context, mask.chunk)
  }
}

/** Distinct keys that are read, each once. */
export function keysRead(mask: Mask, { queries, context, source }: Span): number {
  switch (mask.kind) {
    case 'causal':
    case 'bidirectional':
      return context + queries
    case 'cross':
      return source
    case 'sliding':
      return Math.min(context + queries, mask.window + queries - 1)
    case 'chunked':
      return context + queries - Math.floor(context / mask.chunk) * mask.chunk
  }
}

/** Keys a cache must hold for a sequence of this length. */
export function keysKept(mask: Mask, { tokens, source }: { readonly tokens: number; readonly source: number }): number {
  switch (mask.kind) {
    case 'causal':
      return tokens
    case 'bidirectional':
      return 0
    case 'cross':
      return source
    case 'sliding':
      return Math.min(tokens, mask.window)
    case 'chunked':
      return Math.min(tokens, mask.chunk)
  }
}

const triangle = (n: number): number => (n * (n + 1)) / 2

const chunkedPairs = (tokens: number, chunk: number): number => Math.floor(tokens / chunk) * triangle(chunk) + triangle(tokens % chunk)
