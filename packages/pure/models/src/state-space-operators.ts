// Operators of a state-space mixer. The scan is counted as the recurrence: per channel and state number a decay, an
// input and their sum, then the product with C and its sum: 5 FLOP. Chunked kernels turn part of it into matrix
// products and do more arithmetic at a higher rate; that is a property of the kernel, not of the model.

import type { StateSpace } from './architecture.ts'
import { gemm, type LocalOperator, operator, vector } from './operator.ts'
import { residual } from './operator.ts'
import type { Flow } from './workload.ts'

export function stateSpaceOperators(layer: StateSpace, flow: Flow): LocalOperator[] {
  const { name, width, inner, form, bias, kernel } = layer
  const { rows } = flow
  const channels = convolvedChannels(layer)
  const projected = form.version === 1 ? 2 * inner : inner + channels + form.heads
  return [
    gemm(`${name}.in`, flow, { rows, inputs: width, outputs: projected, split: 'column', bias }),
    vector(`${name}.conv`, flow, {
      rows,
      width: channels,
      split: 'heads',
      flopsPerElement: 2 * kernel,
      reads: channels,
      writes: channels,
      keeps: channels,
      weights: channels * kernel,
    }),
    ...(form.version === 1 ? selection(layer, { flow, timeRank: form.timeRank }) : []),
    scan(layer, flow),
    vector(`${name}.gate`, flow, {
      rows,
      width: inner,
      split: 'heads',
      flopsPerElement: form.version === 1 ? 5 : 9,
      reads: 2 * inner,
      writes: inner,
      keeps: 2 * inner,
    }),
    gemm(`${name}.out`, flow, { rows, inputs: inner, outputs: width, split: 'row', bias }),
    residual(`${name}.residual`, flow, width),
  ]
}

export const convolvedChannels = ({ inner, state, form }: StateSpace): number =>
  form.version === 1 ? inner : inner + 2 * form.groups * state

/** Step size, B and C from the convolved input (Mamba; Mamba-2 gets them from its first projection). */
const selection = ({ name, inner, state }: StateSpace, { flow, timeRank }: { flow: Flow; timeRank: number }): LocalOperator[] => [
  gemm(`${name}.x`, flow, { rows: flow.rows, inputs: inner, outputs: timeRank + 2 * state, split: 'row', keepsInput: false }),
  gemm(`${name}.dt`, flow, { rows: flow.rows, inputs: timeRank, outputs: inner, split: 'column', bias: true }),
]

function scan(layer: StateSpace, flow: Flow): LocalOperator {
  const { name, inner, state, form } = layer
  const { activation, cache, weight } = flow.precision
  const steps = form.version === 1 ? inner : form.heads
  const inputs = (form.version === 1 ? inner + 2 * state : convolvedChannels(layer)) + steps
  const flops = flow.rows * inner * (5 * state + 3)
  const stateBytes = flow.sequences * inner * state * cache
  return operator(
    `${name}.scan`,
    { kind: 'scan', rows: flow.rows, channels: inner, state },
    {
      split: 'heads',
      flops,
      backward: 2 * flops,
      weights: (form.version === 1 ? inner * (state + 1) : 3 * form.heads) * weight,
      read: flow.rows * inputs * activation + (flow.context > 0 ? stateBytes : 0),
      written: flow.rows * inner * activation + stateBytes,
      saved: flow.rows * inputs * activation,
    },
  )
}
