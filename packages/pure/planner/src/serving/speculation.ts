// Speculative decoding of a replica: a draft proposes tokens, the model checks them in one pass. The pass reads weights and cached keys once
// for all tokens of a sequence; what grows with tokens grows by one more than was drafted. Who proposes has its own passes, weights and cache.

import { speculativeTokens } from '@ironlaw/laws/decoding/speculative'
import { type Architecture, importConfig, type Linear } from '@ironlaw/models'
import { quantity } from '@ironlaw/units'
import type { Speculation, SpeculationMethod } from './mechanisms.ts'
import { SERVING_PRECISIONS } from './precision.ts'
import type { ReplicaDesign } from './replica-design.ts'

/** Tokens that one step brings each sequence. */
export const stepGain = (speculation: Pick<Speculation, 'drafted' | 'acceptance'> | undefined): number =>
  speculation === undefined
    ? 1
    : speculativeTokens.of({
        acceptance: quantity(speculation.acceptance, '1'),
        draftLength: quantity(speculation.drafted, '1'),
        draftCostRatio: quantity(0, '1'),
      })

export type AcceptanceDefault = { readonly acceptance: number; readonly source: string }

/** Measured with chains of drafted tokens; where none is known, the spec has to say it. */
export const ACCEPTANCES: Readonly<Record<SpeculationMethod, AcceptanceDefault | undefined>> = {
  mtp: {
    acceptance: 0.71,
    source:
      'fitted to 131 runs of InferenceX with DeepSeek-R1; DeepSeek reports 0.85 to 0.9 for the first token (V3 report, section 5.4.3)',
  },
  eagle: undefined,
  eagle3: {
    acceptance: 0.71,
    source:
      '3.26 tokens a step of seven drafted for Llama-3.3-70B, mean of MT-bench, HumanEval and GSM8K (card of nebius/EAGLE3-Llama-3.3-70B)',
  },
  draft: { acceptance: 0.64, source: 'mean of 0.53 to 0.75 for T5-XXL with T5-small (Leviathan, Kalman, Matias, ICML 2023, table 2)' },
  ngram: {
    acceptance: 0.2,
    source: 'bigrams on translation (Leviathan, Kalman, Matias, ICML 2023, section 4.2); answers that repeat their prompt keep more',
  },
}

export const predictionLayers = ({ groups }: Architecture): number =>
  groups.reduce((sum, { stack, count }) => sum + (stack === 'prediction' ? count : 0), 0)

/** The replica of whatever proposes with weights of its own, on the same devices; undefined for layers of the model and for n-grams. */
export function draftReplica(replica: ReplicaDesign): ReplicaDesign | undefined {
  const { speculation, layout, architecture } = replica
  const drafting = speculation && draftArchitecture(speculation, architecture)
  if (!drafting) return undefined
  const { speculation: _, adapters: __, offload: ___, ...own } = replica
  return {
    ...own,
    architecture: drafting,
    precision: SERVING_PRECISIONS.bf16,
    layout: { tensor: layout.tensor, pipeline: 1, data: layout.data, expert: 1 },
  }
}

const HEADS = new WeakMap<Architecture, Partial<Record<'eagle' | 'eagle3', Architecture>>>()

/** Remembered: a search asks for many replicas of one model. */
function draftArchitecture({ method, draft }: Speculation, target: Architecture): Architecture | undefined {
  if (method === 'draft') return draft?.architecture
  if (method !== 'eagle' && method !== 'eagle3') return undefined
  const known = HEADS.get(target)?.[method]
  if (known) return known
  const made = headArchitecture(target, method)
  HEADS.set(target, { ...HEADS.get(target), [method]: made })
  return made
}

/** Heads of EAGLE-3 propose among the commonest words only, as SpecForge and its published heads have it. */
const DRAFT_VOCABULARY = 32_000
const HEAD_WIDTH = 128
/** Where the model has no dense block to copy. */
const INNER = 4

/** One dense layer of the model's width behind a projection of its features: of the last layer and the token, or of three layers. */
function headArchitecture(target: Architecture, method: 'eagle' | 'eagle3'): Architecture {
  const layers = target.groups.flatMap((group) => group.layers)
  const attention = layers.find((layer) => layer.kind === 'attention')
  const mlp = layers.find((layer) => layer.kind === 'mlp')
  const { width } = target
  const heads = attention?.kind === 'attention' ? attention.heads : Math.max(1, Math.round(width / HEAD_WIDTH))
  const imported = importConfig({
    model_type: 'llama',
    hidden_size: width,
    num_hidden_layers: 1,
    num_attention_heads: heads,
    num_key_value_heads: attention?.kind === 'attention' ? attention.kvHeads : heads,
    head_dim: attention?.kind === 'attention' ? attention.headWidth : HEAD_WIDTH,
    intermediate_size: mlp?.kind === 'mlp' ? mlp.inner : INNER * width,
    vocab_size: method === 'eagle3' ? Math.min(DRAFT_VOCABULARY, target.vocabulary) : target.vocabulary,
    tie_word_embeddings: false,
    max_position_embeddings: target.longestContext ?? 131_072,
  })
  if (!imported.ok) throw new Error(imported.problem)
  const fuse: Linear = {
    kind: 'linear',
    name: 'fuse',
    inputs: (method === 'eagle3' ? 3 : 2) * width,
    outputs: width,
    bias: false,
    tied: false,
    role: 'projection',
  }
  return {
    ...imported.architecture,
    groups: imported.architecture.groups.map((group) =>
      group.stack === 'decoder' ? { ...group, layers: [fuse, ...group.layers] } : group,
    ),
  }
}
