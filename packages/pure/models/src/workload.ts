// What the model is asked to do, and what that means for one group of layers.

import type { Group } from './architecture.ts'

/** Bytes per element. */
export type Precision = { readonly weight: number; readonly activation: number; readonly cache: number }

/** Training: context 0, tokens = sequence length. Prefill of a chunk: context = what came before. Decode: tokens 1. */
export type Workload = {
  readonly batch: number
  /** New tokens per sequence. */
  readonly tokens: number
  /** Tokens per sequence whose keys and values are already cached. */
  readonly context: number
  readonly precision: Precision
  /** Encoder tokens per sequence of an encoder-decoder; as many as `tokens` when absent. */
  readonly sourceTokens?: number
  /** Images per sequence that pass a language model's vision tower; 0 when absent. */
  readonly images?: number
  /** Serving needs logits of the last token only; training of every token, which is the default. */
  readonly outputs?: 'every' | 'last'
  readonly attention?: 'flash' | 'unfused'
  /** Dropout masks are kept for the backward pass. */
  readonly dropout?: boolean
  /** How latent attention is computed; the form with fewer FLOPs when absent. */
  readonly latent?: 'expanded' | 'absorbed'
  /** Runs the multi-token-prediction module too. */
  readonly prediction?: boolean
}

/** A workload as one group sees it. */
export type Flow = {
  readonly sequences: number
  readonly queries: number
  readonly context: number
  readonly source: number
  readonly rows: number
  readonly precision: Precision
  readonly unfused: boolean
  readonly dropout: boolean
  readonly latent: Workload['latent']
}

/** Undefined when the workload does not run the group at all. */
export function flowOf(group: Group, workload: Workload): Flow | undefined {
  const { batch, tokens, context, precision, sourceTokens = tokens, images = 0, outputs = 'every' } = workload
  const flow = (sequences: number, queries: number, past: number): Flow | undefined =>
    sequences * queries === 0
      ? undefined
      : {
          sequences,
          queries,
          context: past,
          source: sourceTokens,
          rows: sequences * queries,
          precision,
          unfused: workload.attention === 'unfused',
          dropout: workload.dropout === true,
          latent: workload.latent,
        }
  if (group.stack === 'prediction' && workload.prediction !== true) return undefined
  switch (group.positions) {
    case 'text':
      return flow(batch, tokens, context)
    case 'output':
      return flow(batch, outputs === 'last' ? Math.min(1, tokens) : tokens, context)
    case 'source':
      // Once there is a context the encoder has run, and the decoder reads its keys and values from the cache.
      return context > 0 ? undefined : flow(batch, sourceTokens, 0)
    default:
      return flow(group.stack === 'vision' ? batch * images : batch, group.positions, 0)
  }
}
