// Operators of dense and routed feed-forward layers.

import type { Mlp, Moe } from './architecture.ts'
import { gemm, groupedGemm, type LocalOperator, operator, residual, vector } from './operator.ts'
import type { Flow } from './workload.ts'

export const mlpOperators = (layer: Mlp, flow: Flow): LocalOperator[] => [
  ...denseOperators(layer, flow),
  residual(`${layer.name}.residual`, flow, layer.width),
]

/** Gate and up are one product, as engines run them. What the nonlinearity needs is kept, and its result for the second product. */
function denseOperators({ name, width, inner, gated, bias, sharesInput }: Mlp, flow: Flow): LocalOperator[] {
  const { rows } = flow
  const first = gated ? 2 * inner : inner
  return [
    gemm(`${name}.up`, flow, {
      rows,
      inputs: width,
      outputs: first,
      split: 'column',
      bias,
      keepsInput: !sharesInput,
      ...(gated && { merged: 2 }),
    }),
    vector(`${name}.act`, flow, {
      rows,
      width: inner,
      split: 'heads',
      flopsPerElement: gated ? 6 : 5,
      reads: first,
      writes: inner,
      keeps: first,
    }),
    gemm(`${name}.down`, flow, { rows, inputs: inner, outputs: width, split: 'row', bias }),
  ]
}

/** Experts that at least one of `rows` tokens visits, when each visits `active` of `experts` at random. */
export const expectedExperts = ({ experts, active }: Pick<Moe, 'experts' | 'active'>, rows: number): number =>
  experts * (1 - (1 - active / experts) ** rows)

export function moeOperators(layer: Moe, flow: Flow): LocalOperator[] {
  const { name, width, experts, sharedInner } = layer
  const { rows } = flow
  const shared: Mlp = { kind: 'mlp', name: `${name}.shared`, width, inner: sharedInner, gated: layer.gated, bias: false, sharesInput: true }
  return [
    gemm(`${name}.router`, flow, { rows, inputs: width, outputs: experts, split: 'whole', bias: layer.bias.router }),
    // Scores are computed and kept in 32 bits.
    vector(`${name}.top_k`, flow, {
      rows,
      width: experts,
      split: 'whole',
      flopsPerElement: 5,
      reads: experts,
      writes: layer.active,
      keptBytes: 4 * rows * experts,
    }),
    ...routedOperators(layer, flow),
    ...(sharedInner > 0 ? denseOperators(shared, flow) : []),
    ...(layer.sharedGate
      ? [gemm(`${name}.shared_gate`, flow, { rows, inputs: width, outputs: 1, split: 'whole', keepsInput: false })]
      : []),
    residual(`${name}.residual`, flow, width),
  ]
}

function routedOperators(layer: Moe, flow: Flow): LocalOperator[] {
  const { name, width, inner, active, gated, latentWidth } = layer
  const expertWidth = latentWidth ?? width
  const copies = flow.rows * active
  const groups = expectedExperts(layer, flow.rows)
  const first = gated ? 2 * inner : inner
  const { rows } = flow
  const toLatent =
    latentWidth === undefined
      ? []
      : [gemm(`${name}.latent_in`, flow, { rows, inputs: width, outputs: latentWidth, split: 'whole', keepsInput: false })]
  const fromLatent =
    latentWidth === undefined ? [] : [gemm(`${name}.latent_out`, flow, { rows, inputs: latentWidth, outputs: width, split: 'whole' })]
  const bias = layer.bias.experts
  return [
    ...toLatent,
    permutationOperator(`${name}.permute`, flow, { from: rows, to: copies, width: expertWidth }),
    groupedGemm(`${name}.experts.up`, flow, {
      groups,
      rows: copies,
      inputs: expertWidth,
      outputs: first,
      split: 'experts',
      bias,
      ...(gated && { merged: 2 }),
    }),
    vector(`${name}.experts.act`, flow, {
      rows: copies,
      width: inner,
      split: 'experts',
      flopsPerElement: gated ? 6 : 5,
      reads: first,
      writes: inner,
      keeps: first,
    }),
    groupedGemm(`${name}.experts.down`, flow, { groups, rows: copies, inputs: inner, outputs: expertWidth, split: 'experts', bias }),
    permutationOperator(`${name}.unpermute`, flow, { from: copies, to: rows, width: expertWidth }),
    ...fromLatent,
  ]
}

/** Tokens gathered by expert, or summed back: two FLOPs per element that is weighted and added. */
function permutationOperator(
  name: string,
  { precision }: Flow,
  { from, to, width }: { from: number; to: number; width: number },
): LocalOperator {
  const flops = from > to ? 2 * from * width : 0
  return operator(
    name,
    { kind: 'lookup', rows: Math.max(from, to), width },
    {
      split: 'experts',
      flops,
      backward: 2 * flops,
      weights: 0,
      read: from * width * precision.activation,
      written: to * width * precision.activation,
      saved: 0,
    },
  )
}
