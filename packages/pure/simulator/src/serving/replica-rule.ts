// What one replica is and how its engine schedules, with the semantics of vLLM's V1 scheduler: decoding first, then prompts in chunks as far
// as the token budget goes (SARATHI), then waiting requests.

import type { Speculation } from './speculation.ts'
import type { StepCost } from './step-cost.ts'

export type ReplicaRule = {
  /** A prefill replica hands its requests on after the first token. */
  readonly role: 'all' | 'prefill'
  /**
   * Batches under way in one replica, as many as its pipeline has stages; one when left out. Everything else here is of one of them. They
   * start, stop and fail together: who counts replicas, for scaling or for their hours, counts whole ones.
   */
  readonly lanes?: number
  readonly cost: StepCost
  /** Tokens of one step, decoding and prompts together. */
  readonly tokensPerStep: number
  readonly sequencesMost: number
  /** Of the paged cache. */
  readonly blocks: number
  readonly blockTokens: number
  /**
   * What happens to a request whose blocks are needed: computed again, from what is left of its blocks when the engine keeps those until
   * they are wanted (prefix caching does); or copied to host memory and back at so much a block.
   */
  readonly preemption: { readonly by: 'recompute'; readonly keeps: boolean } | { readonly by: 'swap'; readonly block_s: number }
  /** Static batching starts a batch only when the one before has ended. */
  readonly batching: 'continuous' | 'static'
  /**
   * The next step is scheduled while one runs, so a request that arrives meanwhile waits for one more step (vLLM's asynchronous
   * scheduling).
   */
  readonly ahead: boolean
  /** Host time of a request in addition to its steps; the same for all, so it changes no order. */
  readonly request_s: number
  /** Most decode steps in one event; costs that bend strongly want fewer. */
  readonly longestRun: number
  readonly speculation?: Speculation
  readonly adapters?: { readonly slots: number; readonly load_s: number }
  /** Tokens that one prefix hash covers; prefixes are not cached when left out. */
  readonly prefixTokens?: number
  /** Where they are kept: in blocks that requests share, or each in the place of one request, as llama.cpp does. */
  readonly prefixesIn: 'blocks' | 'places'
}

/** Defaults of vLLM 0.19. */
export const VLLM_RULE = {
  role: 'all',
  tokensPerStep: 2048,
  sequencesMost: 128,
  blockTokens: 16,
  preemption: { by: 'recompute', keeps: true },
  batching: 'continuous',
  ahead: true,
  request_s: 0,
  longestRun: 64,
  prefixesIn: 'blocks',
} as const satisfies Partial<ReplicaRule>
