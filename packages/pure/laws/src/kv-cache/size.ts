import { composite, count, countOr, law, one, or } from '../law.ts'
import { vol1, vol2 } from '../sources.ts'

export const kvBytesPerToken = law({
  id: 'kv-cache/bytes-per-token',
  name: 'KV cache of one token',
  decides: 'how much memory each token of context holds',
  is: '2 * layers * kvHeads * headDim * bytesPerValue',
  source: `${vol2.inferenceAtScale}; grouped heads: J. Ainslie et al., GQA, EMNLP 2023`,
  validity:
    'every layer caches full keys and values; kvHeads are the key-value heads, fewer than the query heads under grouped-query attention',
  inputs: { layers: count, kvHeads: count, headDim: count, bytesPerValue: one('B') },
  output: 'bytesPerToken',
  unit: 'B',
  of: ({ layers, kvHeads, headDim, bytesPerValue }) => 2 * layers * kvHeads * headDim * bytesPerValue,
})

export const kvTotal = law({
  id: 'kv-cache/total',
  name: 'KV cache of a batch',
  decides: 'how much memory a batch of contexts holds',
  is: 'bytesPerToken * tokens * batch',
  source: vol1.modelServing,
  validity: 'every sequence as long as tokens; nothing shared between sequences',
  inputs: { bytesPerToken: one('B'), tokens: or('token', 1), batch: countOr(1) },
  output: 'bytes',
  unit: 'B',
  of: ({ bytesPerToken, tokens = 1, batch = 1 }) => bytesPerToken * tokens * batch,
})

export const kvBytes = composite({
  id: 'kv-cache/bytes',
  name: 'KV cache from the shape of the model',
  decides: 'whether a context length and a batch fit beside the weights',
  is: '2 * layers * kvHeads * headDim * bytesPerValue * tokens * batch',
  source: vol2.inferenceAtScale,
  validity: 'every layer caches full keys and values for every token; the factor 2 is one key and one value',
  inputs: { layers: count, kvHeads: count, headDim: count, bytesPerValue: one('B'), tokens: or('token', 1), batch: countOr(1) },
  output: 'bytes',
  unit: 'B',
  via: ({ layers, kvHeads, headDim, bytesPerValue, tokens, batch }, apply) =>
    apply(kvTotal, { bytesPerToken: apply(kvBytesPerToken, { layers, kvHeads, headDim, bytesPerValue }), tokens, batch }),
  also: {
    bytesPerToken: {
      unit: 'B',
      is: '2 * layers * kvHeads * headDim * bytesPerValue',
      of: ({ layers, kvHeads, headDim, bytesPerValue }) => 2 * layers * kvHeads * headDim * bytesPerValue,
    },
  },
})

export const mlaBytesPerToken = law({
  id: 'kv-cache/mla-bytes-per-token',
  name: 'KV cache of one token under multi-head latent attention',
  decides: 'how much memory each token of context holds in a model with a compressed cache',
  is: 'layers * (latentDim + ropeDim) * bytesPerValue',
  source: 'DeepSeek-AI, DeepSeek-V2: A Strong, Economical, and Efficient Mixture-of-Experts Language Model, 2024, section 2.1',
  validity: 'the engine caches one latent vector for keys and values of all heads and one rotary key that they share',
  inputs: { layers: count, latentDim: count, ropeDim: one('1'), bytesPerValue: one('B') },
  output: 'bytesPerToken',
  unit: 'B',
  of: ({ layers, latentDim, ropeDim, bytesPerValue }) => layers * (latentDim + ropeDim) * bytesPerValue,
})

export const mlaBytes = composite({
  id: 'kv-cache/mla-bytes',
  name: 'KV cache of a model with multi-head latent attention',
  decides: 'whether a context length and a batch fit beside the weights of a model with a compressed cache',
  is: 'layers * (latentDim + ropeDim) * bytesPerValue * tokens * batch',
  source: 'DeepSeek-AI, DeepSeek-V2, 2024, section 2.1',
  validity: 'the engine caches the latent vector and the shared rotary key; tensor parallelism copies both to every device',
  inputs: { layers: count, latentDim: count, ropeDim: one('1'), bytesPerValue: one('B'), tokens: or('token', 1), batch: countOr(1) },
  output: 'bytes',
  unit: 'B',
  via: ({ layers, latentDim, ropeDim, bytesPerValue, tokens, batch }, apply) =>
    apply(kvTotal, { bytesPerToken: apply(mlaBytesPerToken, { layers, latentDim, ropeDim, bytesPerValue }), tokens, batch }),
})

export const slidingWindowBytes = law({
  id: 'kv-cache/sliding-window',
  name: 'KV cache under sliding-window attention',
  decides: 'how far a window of attention caps the memory of long contexts',
  is: 'bytesPerToken * min(tokens, window) * batch',
  source: 'A. Q. Jiang et al., Mistral 7B, 2023, section 2: rolling buffer cache',
  validity: 'every counted layer attends within the window; layers with full attention are counted by kv-cache/total',
  inputs: { bytesPerToken: one('B'), tokens: one('token'), window: one('token'), batch: countOr(1) },
  output: 'bytes',
  unit: 'B',
  of: ({ bytesPerToken, tokens, window, batch = 1 }) => bytesPerToken * Math.min(tokens, window) * batch,
})
