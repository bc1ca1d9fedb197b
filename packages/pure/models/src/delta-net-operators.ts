// Operators of a gated delta network. Per head and token the recurrence decays its keyWidth x valueWidth state, reads it with the key,
// writes the correction back and reads it with the query: 1 + 2 + 2 + 2 FLOP per number of state.

import type { DeltaNet } from './architecture.ts'
import { gemm, type LocalOperator, operator, residual, vector } from './operator.ts'
import type { Flow } from './workload.ts'

export const deltaChannels = ({ keyHeads, valueHeads, keyWidth, valueWidth }: DeltaNet): number =>
  2 * keyHeads * keyWidth + valueHeads * valueWidth

export const deltaState = ({ valueHeads, keyWidth, valueWidth }: DeltaNet): number => valueHeads * keyWidth * valueWidth

export function deltaNetOperators(layer: DeltaNet, flow: Flow): LocalOperator[] {
  const { name, width, valueHeads, valueWidth, kernel } = layer
  const { rows } = flow
  const channels = deltaChannels(layer)
  const values = valueHeads * valueWidth
  return [
    gemm(`${name}.in`, flow, { rows, inputs: width, outputs: channels + values + 2 * valueHeads, split: 'column' }),
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
    scan(layer, flow),
    vector(`${name}.gate`, flow, {
      rows,
      width: values,
      split: 'heads',
      flopsPerElement: 9,
      reads: 2 * values,
      writes: values,
      keeps: 2 * values,
    }),
    gemm(`${name}.out`, flow, { rows, inputs: values, outputs: width, split: 'row' }),
    residual(`${name}.residual`, flow, width),
  ]
}

function scan(layer: DeltaNet, flow: Flow): LocalOperator {
  const { activation, cache, weight } = flow.precision
  const inputs = deltaChannels(layer) + 2 * layer.valueHeads
  const values = layer.valueHeads * layer.valueWidth
  const flops = 7 * flow.rows * deltaState(layer)
  const stateBytes = flow.sequences * deltaState(layer) * cache
  const shape = { kind: 'scan', rows: flow.rows, channels: values, state: layer.keyWidth } as const
  return operator(`${layer.name}.scan`, shape, {
    split: 'heads',
    flops,
    backward: 2 * flops,
    weights: 2 * layer.valueHeads * weight,
    read: flow.rows * inputs * activation + (flow.context > 0 ? stateBytes : 0),
    written: flow.rows * values * activation + stateBytes,
    saved: flow.rows * inputs * activation,
  })
}
