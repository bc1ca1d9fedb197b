// Layers with the values most families share, so that an importer states only what its family does differently.

import type { Attention, Layer, Linear, Mask, Mlp, Moe, Norm } from './architecture.ts'

export const CAUSAL: Mask = { kind: 'causal' }
export const BIDIRECTIONAL: Mask = { kind: 'bidirectional' }

export const rmsNorm = (name: string, width: number): Norm => ({ kind: 'norm', name, width, style: 'rms', bias: false })
export const layerNorm = (name: string, width: number): Norm => ({ kind: 'norm', name, width, style: 'layer', bias: true })

type AttentionBasis = Pick<Attention, 'width' | 'heads' | 'headWidth'> & Partial<Omit<Attention, 'kind'>>

export const attention = (basis: AttentionBasis): Attention => ({
  kind: 'attention',
  name: 'attention',
  kvHeads: basis.heads,
  mask: CAUSAL,
  bias: { qkv: false, output: false },
  qkNorm: 'none',
  rotary: true,
  gated: false,
  sinks: false,
  relativeBuckets: 0,
  ...basis,
})

/** Attention as GPT-2 and the encoders have it: all heads have keys, everything is biased, positions come from a table. */
export const classicAttention = (basis: { readonly width: number; readonly heads: number; readonly mask: Mask }): Attention =>
  attention({ ...basis, headWidth: basis.width / basis.heads, bias: { qkv: true, output: true }, rotary: false })

type MlpBasis = Pick<Mlp, 'width' | 'inner'> & Partial<Omit<Mlp, 'kind'>>

export const gatedMlp = (basis: MlpBasis): Mlp => ({ kind: 'mlp', name: 'mlp', gated: true, bias: false, sharesInput: false, ...basis })
export const plainMlp = (basis: MlpBasis): Mlp => ({ kind: 'mlp', name: 'mlp', gated: false, bias: true, sharesInput: false, ...basis })

type MoeBasis = Pick<Moe, 'width' | 'experts' | 'active' | 'inner'> & Partial<Omit<Moe, 'kind'>>

export const mixture = (basis: MoeBasis): Moe => ({
  kind: 'moe',
  name: 'moe',
  gated: true,
  bias: { experts: false, router: false },
  correction: false,
  sharedInner: 0,
  sharedGate: false,
  ...basis,
})

export const projection = (name: string, size: Pick<Linear, 'inputs' | 'outputs'> & { readonly bias?: boolean }): Linear => ({
  kind: 'linear',
  name,
  inputs: size.inputs,
  outputs: size.outputs,
  bias: size.bias ?? false,
  tied: false,
  role: 'projection',
})

export const preNormBlock = (norm: (name: string) => Norm, mixer: Layer, mlp: Layer): readonly Layer[] => [
  norm('input_norm'),
  mixer,
  norm('mlp_norm'),
  mlp,
]
