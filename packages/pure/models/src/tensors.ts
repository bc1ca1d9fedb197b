// The learned tensors of each kind of layer, as data. Every count in this package is a sum of products of these shapes.

import type { Attention, Convolution, DeltaNet, LatentAttention, Layer, Linear, Mlp, Moe, StateSpace } from './architecture.ts'

export type ModelPart =
  | 'embedding'
  | 'position'
  | 'attention'
  | 'mlp'
  | 'router'
  | 'experts'
  | 'norm'
  | 'state-space'
  | 'convolution'
  | 'projection'
  | 'head'

export type Tensor = {
  readonly name: string
  readonly part: ModelPart
  readonly shape: readonly number[]
  /** Of the first dimension, the experts, how many one token visits. Absent: all of the tensor works on every token. */
  readonly routed?: number
}

export function tensorsOf(layer: Layer): Tensor[] {
  switch (layer.kind) {
    case 'norm':
      return [
        vector(`${layer.name}.weight`, 'norm', layer.width),
        ...optional(layer.bias, vector(`${layer.name}.bias`, 'norm', layer.width)),
      ]
    case 'embedding':
      return [{ name: `${layer.name}.weight`, part: layer.of === 'token' ? 'embedding' : 'position', shape: [layer.rows, layer.width] }]
    case 'embedding-bag':
      return [{ name: `${layer.name}.weight`, part: 'embedding', shape: [layer.rows, layer.width] }]
    case 'constant':
      return [{ name: layer.name, part: 'position', shape: layer.shape }]
    case 'interaction':
      return []
    case 'attention':
      return attentionTensors(layer)
    case 'latent-attention':
      return latentTensors(layer)
    case 'mlp':
      return mlpTensors(layer)
    case 'moe':
      return moeTensors(layer)
    case 'state-space':
      return stateSpaceTensors(layer)
    case 'delta-net':
      return deltaNetTensors(layer)
    case 'linear':
      return linearTensors(layer)
    case 'convolution':
      return convolutionTensors(layer)
  }
}

export const elements = (tensor: Tensor): number => tensor.shape.reduce((product, size) => product * size, 1)

export const activeElements = (tensor: Tensor): number =>
  tensor.routed === undefined ? elements(tensor) : (elements(tensor) / (tensor.shape[0] ?? 1)) * tensor.routed

const vector = (name: string, part: ModelPart, size: number): Tensor => ({ name, part, shape: [size] })

const optional = (present: boolean, ...tensors: readonly Tensor[]): readonly Tensor[] => (present ? tensors : [])

type Matrix = { readonly name: string; readonly part: ModelPart; readonly inputs: number; readonly outputs: number; readonly bias: boolean }

const matrix = ({ name, part, inputs, outputs, bias }: Matrix): readonly Tensor[] => [
  { name: `${name}.weight`, part, shape: [outputs, inputs] },
  ...optional(bias, vector(`${name}.bias`, part, outputs)),
]

function attentionTensors(layer: Attention): Tensor[] {
  const { name, width, heads, kvHeads, headWidth, bias, qkNorm } = layer
  const part = 'attention'
  const perHead = qkNorm === 'head' || qkNorm === 'head-bias'
  const normed = perHead ? [headWidth, headWidth] : qkNorm === 'full' ? [heads * headWidth, kvHeads * headWidth] : []
  return [
    ...matrix({ name: `${name}.q`, part, inputs: width, outputs: (layer.gated ? 2 : 1) * heads * headWidth, bias: bias.qkv }),
    ...matrix({ name: `${name}.k`, part, inputs: width, outputs: kvHeads * headWidth, bias: bias.qkv }),
    ...matrix({ name: `${name}.v`, part, inputs: width, outputs: kvHeads * headWidth, bias: bias.qkv }),
    ...matrix({ name: `${name}.o`, part, inputs: heads * headWidth, outputs: width, bias: bias.output }),
    ...normed.map((size, index) => vector(`${name}.${index === 0 ? 'q' : 'k'}_norm.weight`, part, size)),
    ...optional(qkNorm === 'head-bias', vector(`${name}.q_norm.bias`, part, headWidth), vector(`${name}.k_norm.bias`, part, headWidth)),
    ...optional(layer.sinks, vector(`${name}.sinks`, part, heads)),
    ...optional(layer.relativeBuckets > 0, { name: `${name}.relative_bias`, part, shape: [layer.relativeBuckets, heads] }),
  ]
}

function latentTensors(layer: LatentAttention): Tensor[] {
  const { name, width, heads, queryRank, kvRank, nopeWidth, ropeWidth, valueWidth, bias } = layer
  const part = 'attention'
  const queries = heads * (nopeWidth + ropeWidth)
  const query =
    queryRank === undefined
      ? matrix({ name: `${name}.q`, part, inputs: width, outputs: queries, bias: false })
      : [
          ...matrix({ name: `${name}.q_a`, part, inputs: width, outputs: queryRank, bias }),
          vector(`${name}.q_a_norm.weight`, part, queryRank),
          ...matrix({ name: `${name}.q_b`, part, inputs: queryRank, outputs: queries, bias: false }),
        ]
  return [
    ...query,
    ...matrix({ name: `${name}.kv_a`, part, inputs: width, outputs: kvRank + ropeWidth, bias }),
    vector(`${name}.kv_a_norm.weight`, part, kvRank),
    ...matrix({ name: `${name}.kv_b`, part, inputs: kvRank, outputs: heads * (nopeWidth + valueWidth), bias: false }),
    ...matrix({ name: `${name}.o`, part, inputs: heads * valueWidth, outputs: width, bias }),
  ]
}

function mlpTensors({ name, width, inner, gated, bias }: Mlp): Tensor[] {
  const part = 'mlp'
  return [
    ...(gated ? matrix({ name: `${name}.gate`, part, inputs: width, outputs: inner, bias }) : []),
    ...matrix({ name: `${name}.up`, part, inputs: width, outputs: inner, bias }),
    ...matrix({ name: `${name}.down`, part, inputs: inner, outputs: width, bias }),
  ]
}

function moeTensors(layer: Moe): Tensor[] {
  const { name, width, experts, inner, active, bias, sharedInner } = layer
  const expertWidth = layer.latentWidth ?? width
  const first = layer.gated ? 2 * inner : inner
  const routed = { part: 'experts', routed: active } as const
  return [
    { name: `${name}.router.weight`, part: 'router', shape: [experts, width] },
    ...optional(bias.router, vector(`${name}.router.bias`, 'router', experts)),
    ...optional(layer.correction, vector(`${name}.router.correction`, 'router', experts)),
    { ...routed, name: `${name}.experts.up`, shape: [experts, first, expertWidth] },
    { ...routed, name: `${name}.experts.down`, shape: [experts, expertWidth, inner] },
    ...optional(
      bias.experts,
      { ...routed, name: `${name}.experts.up_bias`, shape: [experts, first] },
      { ...routed, name: `${name}.experts.down_bias`, shape: [experts, expertWidth] },
    ),
    ...(layer.latentWidth === undefined
      ? []
      : [
          ...matrix({ name: `${name}.latent_in`, part: 'mlp', inputs: width, outputs: layer.latentWidth, bias: false }),
          ...matrix({ name: `${name}.latent_out`, part: 'mlp', inputs: layer.latentWidth, outputs: width, bias: false }),
        ]),
    ...(sharedInner === 0
      ? []
      : mlpTensors({ ...layer, kind: 'mlp', name: `${name}.shared`, inner: sharedInner, bias: false, sharesInput: true })),
    ...optional(layer.sharedGate, { name: `${name}.shared_gate.weight`, part: 'mlp', shape: [1, width] }),
  ]
}

function stateSpaceTensors(layer: StateSpace): Tensor[] {
  const { name, width, inner, state, kernel, form, bias } = layer
  const part = 'state-space'
  const channels = form.version === 1 ? inner : inner + 2 * form.groups * state
  return [
    ...matrix({ name: `${name}.in`, part, inputs: width, outputs: form.version === 1 ? 2 * inner : inner + channels + form.heads, bias }),
    { name: `${name}.conv.weight`, part, shape: [channels, 1, kernel] },
    ...optional(layer.convBias, vector(`${name}.conv.bias`, part, channels)),
    ...matrix({ name: `${name}.out`, part, inputs: inner, outputs: width, bias }),
    ...(form.version === 1 ? firstFormTensors(layer, form) : secondFormTensors(layer, form.heads)),
  ]
}

type FirstForm = Extract<StateSpace['form'], { version: 1 }>

function firstFormTensors({ name, inner, state }: StateSpace, { timeRank, innerNorms }: FirstForm): Tensor[] {
  const part = 'state-space'
  return [
    ...matrix({ name: `${name}.x`, part, inputs: inner, outputs: timeRank + 2 * state, bias: false }),
    ...matrix({ name: `${name}.dt`, part, inputs: timeRank, outputs: inner, bias: true }),
    { name: `${name}.A_log`, part, shape: [inner, state] },
    vector(`${name}.D`, part, inner),
    ...optional(
      innerNorms,
      vector(`${name}.dt_norm`, part, timeRank),
      vector(`${name}.b_norm`, part, state),
      vector(`${name}.c_norm`, part, state),
    ),
  ]
}

const secondFormTensors = ({ name, inner }: StateSpace, heads: number): Tensor[] => [
  vector(`${name}.dt_bias`, 'state-space', heads),
  vector(`${name}.A_log`, 'state-space', heads),
  vector(`${name}.D`, 'state-space', heads),
  vector(`${name}.norm.weight`, 'state-space', inner),
]

function deltaNetTensors({ name, width, keyHeads, valueHeads, keyWidth, valueWidth, kernel }: DeltaNet): Tensor[] {
  const part = 'state-space'
  const values = valueHeads * valueWidth
  const channels = 2 * keyHeads * keyWidth + values
  return [
    ...matrix({ name: `${name}.qkvz`, part, inputs: width, outputs: channels + values, bias: false }),
    ...matrix({ name: `${name}.ba`, part, inputs: width, outputs: 2 * valueHeads, bias: false }),
    { name: `${name}.conv.weight`, part, shape: [channels, 1, kernel] },
    vector(`${name}.dt_bias`, part, valueHeads),
    vector(`${name}.A_log`, part, valueHeads),
    vector(`${name}.norm.weight`, part, valueWidth),
    ...matrix({ name: `${name}.out`, part, inputs: values, outputs: width, bias: false }),
  ]
}

function linearTensors({ name, inputs, outputs, bias, tied, role }: Linear): Tensor[] {
  const tensors = matrix({ name, part: role, inputs, outputs, bias })
  return tied ? tensors.slice(1) : [...tensors]
}

const convolutionTensors = ({ name, inputs, outputs, kernel, groups, bias, batchNorm }: Convolution): Tensor[] => [
  { name: `${name}.weight`, part: 'convolution', shape: [outputs, inputs / groups, kernel, kernel] },
  ...optional(bias, vector(`${name}.bias`, 'convolution', outputs)),
  ...optional(batchNorm, vector(`${name}.norm.weight`, 'norm', outputs), vector(`${name}.norm.bias`, 'norm', outputs)),
]
