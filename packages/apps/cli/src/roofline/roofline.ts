// The roofline of one decoding step: what binds a model on an accelerator, by batch. Every figure is a law applied to the
// operators of the model and to figures of the catalog; the time is a floor, because no kernel reaches either roof.

import { type Accelerator, peak, precisions, type Precision } from '@ironlaw/catalog'
import { IronlawError } from '@ironlaw/contracts'
import { explain } from '@ironlaw/laws'
import { overlapped } from '@ironlaw/laws/iron-law/iron-law'
import { arithmeticIntensity, attainable, ridgePoint } from '@ironlaw/laws/roofline/roofline'
import { type Architecture, type Operator, operatorList } from '@ironlaw/models'
import { type Known, quantity } from '@ironlaw/units'

export type Setting = { readonly precision: Precision; readonly context: number; readonly batches: readonly number[] }

export type RooflinePoint = {
  readonly batch: number
  readonly flops: Known<'FLOP'>
  readonly bytesMoved: Known<'B'>
  readonly intensity: Known<'FLOP/B'>
  readonly rate: Known<'FLOP/s'>
  readonly bound: 'memory' | 'compute'
  /** Sum over the operators of each one's own roofline time. */
  readonly stepTime: number
  readonly slowest: readonly { readonly name: string; readonly time: number; readonly bound: 'memory' | 'compute' }[]
}

export type Roofline = {
  readonly peak: Known<'FLOP/s'>
  readonly bandwidth: Known<'B/s'>
  readonly ridge: Known<'FLOP/B'>
  readonly points: readonly RooflinePoint[]
}

/** Weights take the stated precision; activations and the KV cache stay in 16 bits, as most engines keep them. */
const WEIGHT_BYTES = {
  fp64: 8,
  fp32: 4,
  tf32: 4,
  fp16: 2,
  bf16: 2,
  fp8: 1,
  fp6: 0.75,
  fp4: 0.5,
  int8: 1,
  int4: 0.5,
} as const satisfies Record<Precision, number>
const ACTIVATION_BYTES = 2

export function rooflineOf(architecture: Architecture, on: Accelerator, { precision, context, batches }: Setting): Roofline {
  const roof = peak(on, precision) ?? noPeak(on, precision)
  const bandwidth = on.facts.memory.bandwidth
  const bytes = { weight: WEIGHT_BYTES[precision], activation: ACTIVATION_BYTES, cache: ACTIVATION_BYTES }
  return {
    peak: roof,
    bandwidth,
    ridge: explain(ridgePoint, { peakFlops: roof, memoryBandwidth: bandwidth }),
    points: batches.map((batch) =>
      point(batch, operatorList(architecture, { batch, tokens: 1, context, precision: bytes }), {
        peakFlops: roof,
        memoryBandwidth: bandwidth,
      }),
    ),
  }
}

function noPeak(on: Accelerator, precision: Precision): never {
  throw new IronlawError('IL_USAGE', {
    problem: `${on.id} has no published dense peak in ${precision}; it has ${precisions(on).join(', ')}`,
    command: 'explain roofline',
  })
}

type Roof = { readonly peakFlops: Known<'FLOP/s'>; readonly memoryBandwidth: Known<'B/s'> }

function point(batch: number, operators: readonly Operator[], roof: Roof): RooflinePoint {
  const flops = countedKnown(
    operators.reduce((sum, each) => sum + each.count * each.forward, 0),
    'FLOP',
  )
  const bytesMoved = countedKnown(
    operators.reduce((sum, each) => sum + each.count * traffic(each), 0),
    'B',
  )
  const intensity = explain(arithmeticIntensity, { flops, bytesMoved })
  const times = operators.map((each) => ({
    name: `${each.group} ${each.name}`,
    time: each.count * floorTime(each, roof),
    bound: boundOf(each.forward / traffic(each), roof),
  }))
  return {
    batch,
    flops,
    bytesMoved,
    intensity,
    rate: explain(attainable, { intensity, ...roof }),
    bound: boundOf(intensity.value, roof),
    stepTime: times.reduce((sum, { time }) => sum + time, 0),
    slowest: times.toSorted((a, b) => b.time - a.time).slice(0, 3),
  }
}

const traffic = ({ weightBytes, readBytes, writtenBytes }: Operator): number => weightBytes + readBytes + writtenBytes

const floorTime = (each: Operator, { peakFlops, memoryBandwidth }: Roof): number =>
  overlapped.of({
    bytesMoved: quantity(traffic(each), 'B'),
    memoryBandwidth: memoryBandwidth.value,
    flops: each.forward,
    peakFlops: peakFlops.value,
  })

const boundOf = (intensity: number, { peakFlops, memoryBandwidth }: Roof): 'memory' | 'compute' =>
  intensity * memoryBandwidth.value < peakFlops.value ? 'memory' : 'compute'

const countedKnown = <U extends 'FLOP' | 'B'>(value: number, unit: U): Known<U> => ({
  value: quantity(value, unit),
  unit,
  by: { kind: 'source', ref: "counted from the model's operators", asOf: 'one decoding step' },
})
