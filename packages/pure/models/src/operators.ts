// The operator list of a model under a workload: one row per operator of each group, with the number of its occurrences.

import { type Flop, flop } from '@ironlaw/units'
import type { Architecture, Convolution, EmbeddingBag, Interaction, Layer, Linear, Norm } from './architecture.ts'
import { attentionOperators, latentOperators } from './attention-operators.ts'
import { deltaNetOperators } from './delta-net-operators.ts'
import { mlpOperators, moeOperators } from './feed-forward-operators.ts'
import { gemm, type LocalOperator, type Operator, operator, vector } from './operator.ts'
import { stateSpaceOperators } from './state-space-operators.ts'
import { elements, tensorsOf } from './tensors.ts'
import { type Flow, flowOf, type Workload } from './workload.ts'

export function operatorList(architecture: Architecture, workload: Workload): Operator[] {
  return architecture.groups.flatMap((group) => {
    const flow = flowOf(group, workload)
    if (!flow) return []
    return group.layers.flatMap((layer) =>
      operatorsOf(layer, flow).map((each): Operator => Object.assign(each, { group: group.name, stack: group.stack, count: group.count })),
    )
  })
}

export type FlopTotals = { readonly forward: Flop; readonly backward: Flop }

export function flopTotals(operators: readonly Operator[]): FlopTotals {
  let forward = 0
  let backward = 0
  for (const each of operators) {
    forward += each.count * each.forward
    backward += each.count * each.backward
  }
  return { forward: flop(forward), backward: flop(backward) }
}

function operatorsOf(layer: Layer, flow: Flow): LocalOperator[] {
  switch (layer.kind) {
    case 'norm':
      return [normOperator(layer, flow)]
    case 'embedding':
      return layer.of === 'token'
        ? [lookup(layer.name, flow, { rows: flow.rows, width: layer.width, reads: flow.rows })]
        : [
            vector(layer.name, flow, {
              rows: flow.rows,
              width: layer.width,
              split: 'activations',
              flopsPerElement: 1,
              reads: layer.width,
              writes: layer.width,
              weights: flow.queries * layer.width,
            }),
          ]
    case 'embedding-bag':
      return [bagOperator(layer, flow)]
    case 'constant':
      return []
    case 'interaction':
      return [interactionOperator(layer, flow)]
    case 'attention':
      return attentionOperators(layer, flow)
    case 'latent-attention':
      return latentOperators(layer, flow)
    case 'mlp':
      return mlpOperators(layer, flow)
    case 'moe':
      return moeOperators(layer, flow)
    case 'state-space':
      return stateSpaceOperators(layer, flow)
    case 'delta-net':
      return deltaNetOperators(layer, flow)
    case 'linear':
      return linearOperators(layer, flow)
    case 'convolution':
      return [convolutionOperator(layer, flow)]
  }
}

/** Keeps its input; the row statistics, at most 8 bytes a row, are left out. */
const normOperator = ({ name, width, style, bias }: Norm, flow: Flow): LocalOperator =>
  vector(name, flow, {
    rows: flow.rows,
    width,
    split: 'activations',
    flopsPerElement: style === 'rms' ? 4 : 7,
    reads: width,
    writes: width,
    keeps: width,
    weights: bias ? 2 * width : width,
  })

function lookup(name: string, { precision }: Flow, { rows, width, reads }: { rows: number; width: number; reads: number }): LocalOperator {
  const flops = (reads - rows) * width
  return operator(
    name,
    { kind: 'lookup', rows: reads, width },
    {
      split: 'column',
      flops,
      backward: reads * width,
      weights: reads * width * precision.weight,
      read: 0,
      written: rows * width * precision.activation,
      saved: 0,
    },
  )
}

const bagOperator = ({ name, width, lookups }: EmbeddingBag, flow: Flow): LocalOperator =>
  lookup(name, flow, { rows: flow.rows, width, reads: flow.rows * lookups })

function interactionOperator({ name, vectors, width }: Interaction, flow: Flow): LocalOperator {
  const { activation } = flow.precision
  const flops = flow.rows * vectors * (vectors - 1) * width
  const read = flow.rows * vectors * width * activation
  return operator(
    name,
    { kind: 'grouped-gemm', groups: flow.rows, m: vectors, n: vectors, k: width },
    {
      split: 'activations',
      flops,
      backward: 2 * flops,
      weights: 0,
      read,
      written: flow.rows * (width + (vectors * (vectors - 1)) / 2) * activation,
      saved: read,
    },
  )
}

/** After the output projection comes the softmax; a fused loss keeps one copy of the logits and overwrites it with their gradient. */
function linearOperators({ name, inputs, outputs, bias, role }: Linear, flow: Flow): LocalOperator[] {
  const { rows } = flow
  const product = gemm(name, flow, { rows, inputs, outputs, split: role === 'head' ? 'column' : 'whole', bias })
  if (role === 'projection') return [product]
  return [
    product,
    vector(`${name}.softmax`, flow, {
      rows,
      width: outputs,
      split: 'column',
      flopsPerElement: 5,
      reads: outputs,
      writes: outputs,
      keeps: outputs,
    }),
  ]
}

/** With its batch normalisation and nonlinearity, which engines fold in; training keeps the input of the convolution and of the norm. */
function convolutionOperator(layer: Convolution, flow: Flow): LocalOperator {
  const { name, inputs, outputs, kernel, groups, inputPositions, outputPositions, batchNorm } = layer
  const { activation, weight } = flow.precision
  const rows = flow.sequences * outputPositions
  const flops = 2 * rows * outputs * (inputs / groups) * kernel ** 2
  const input = flow.sequences * inputPositions * inputs * activation
  const output = rows * outputs * activation
  return operator(
    name,
    { kind: 'convolution', rows, inputs, outputs, kernel, groups },
    {
      split: 'column',
      flops,
      backward: 2 * flops,
      weights: tensorsOf(layer).reduce((sum, tensor) => sum + elements(tensor), 0) * weight,
      read: input,
      written: output,
      saved: input + (batchNorm ? output : 0),
    },
  )
}
