// What a sequence leaves behind for its next token: keys and values of attention layers, the latent of latent attention,
// and the fixed state of state-space layers.

import { type Bytes, bytes } from '@ironlaw/units'
import type { Architecture, Layer, Mask } from './architecture.ts'
import { deltaChannels, deltaState } from './delta-net-operators.ts'
import { convolvedChannels } from './state-space-operators.ts'
import { keysKept } from './visible-keys.ts'

export type Cache = {
  /** Per token, over all layers, while the sequence is shorter than every window. */
  readonly perToken: Bytes
  /** Per token, once every window is full: layers that see the whole sequence. */
  readonly perTokenBeyondWindows: Bytes
  /** Per encoder token, for cross-attention. */
  readonly perSourceToken: Bytes
  /** Per sequence, whatever its length. */
  readonly state: Bytes
}

/** Bytes per element of the cache, and of recurrent state where it is kept more precisely. */
export type CachePrecision = { readonly cache: number; readonly state?: number }

export function cacheOf(architecture: Architecture, { cache, state = cache }: CachePrecision): Cache {
  const sum = (measure: (layer: Layer) => number): number => {
    let total = 0
    for (const group of architecture.groups) {
      if (group.stack !== 'decoder') continue
      for (const layer of group.layers) total += group.count * measure(layer)
    }
    return total
  }
  return {
    perToken: bytes(cache * sum(elementsWithMask('causal', 'sliding', 'chunked'))),
    perTokenBeyondWindows: bytes(cache * sum(elementsWithMask('causal'))),
    perSourceToken: bytes(cache * sum(elementsWithMask('cross'))),
    state: bytes(state * sum(stateElements)),
  }
}

export type SequenceLength = { readonly tokens: number; readonly sourceTokens?: number }

/** Exact cache of one sequence: windows cap the tokens their layers keep. */
export function cacheBytes(architecture: Architecture, precision: CachePrecision, { tokens, sourceTokens = 0 }: SequenceLength): Bytes {
  let elements = 0
  for (const group of architecture.groups) {
    if (group.stack !== 'decoder') continue
    for (const layer of group.layers) {
      if ('mask' in layer) elements += group.count * cachedElements(layer) * keysKept(layer.mask, { tokens, source: sourceTokens })
    }
  }
  return bytes(precision.cache * elements + cacheOf(architecture, precision).state)
}

const elementsWithMask =
  (...kinds: readonly Mask['kind'][]) =>
  (layer: Layer): number =>
    'mask' in layer && kinds.includes(layer.mask.kind) ? cachedElements(layer) : 0

/** Numbers kept per token by one layer. */
function cachedElements(layer: Layer): number {
  if (layer.kind === 'attention') return 2 * layer.kvHeads * layer.headWidth
  return layer.kind === 'latent-attention' ? layer.kvRank + layer.ropeWidth : 0
}

/** The recurrent state, and the last inputs the convolution still needs. */
function stateElements(layer: Layer): number {
  if (layer.kind === 'state-space') return layer.inner * layer.state + convolvedChannels(layer) * (layer.kernel - 1)
  return layer.kind === 'delta-net' ? deltaState(layer) + deltaChannels(layer) * (layer.kernel - 1) : 0
}
