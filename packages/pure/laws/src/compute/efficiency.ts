// How much of the arithmetic that was bought does useful work, per device and over a fleet.

import { composite, count, countOr, law, maybe, one, share, shareOr } from '../law.ts'
import { vol1, vol2 } from '../sources.ts'
import { tolerantCeil } from '../whole.ts'

// The book divides 6 P by the step time and forgets the tokens of the step; flops here are those of the whole step.
export const mfu = law({
  id: 'compute/mfu',
  name: 'Model FLOPs utilization',
  decides: 'whether a training job deserves tuning',
  is: 'flops / (devices * peakFlops * stepTime)',
  source: 'A. Chowdhery et al., PaLM: Scaling Language Modeling with Pathways, 2022, appendix B',
  validity: 'operations the model needs for all tokens of the step, recomputation not counted; the dense peak',
  holds: ({ flops, devices = 1, peakFlops, stepTime }) => flops <= devices * peakFlops * stepTime,
  inputs: { flops: one('FLOP'), devices: countOr(1), peakFlops: one('FLOP/s'), stepTime: one('s') },
  output: 'mfu',
  unit: '1',
  of: ({ flops, devices = 1, peakFlops, stepTime }) => flops / (devices * peakFlops * stepTime),
  also: {
    achieved: {
      unit: 'FLOP/s',
      is: 'flops / (devices * stepTime)',
      of: ({ flops, devices = 1, stepTime }) => flops / (devices * stepTime),
    },
  },
})

export const utilization = law({
  id: 'compute/utilization',
  name: 'Share of the peak rate attained',
  decides: 'whether a kernel or a benchmark result leaves room for tuning',
  is: 'achievedFlops / peakFlops',
  source: vol1.benchmarking,
  validity: 'both rates at one precision, the peak dense unless the workload is sparse',
  holds: ({ achievedFlops, peakFlops }) => achievedFlops <= peakFlops,
  inputs: { achievedFlops: one('FLOP/s'), peakFlops: one('FLOP/s') },
  output: 'utilization',
  unit: '1',
  of: ({ achievedFlops, peakFlops }) => achievedFlops / peakFlops,
})

export const sustainedRate = law({
  id: 'compute/sustained-rate',
  name: 'Aggregate rate of a cluster',
  decides: 'what a cluster delivers, at its peak or at a given efficiency',
  is: 'devices * peakFlops * efficiency',
  source: vol2.computeInfrastructure,
  validity: 'equal devices, the efficiency already includes communication',
  inputs: { devices: count, peakFlops: one('FLOP/s'), efficiency: shareOr(1) },
  output: 'aggregateRate',
  unit: 'FLOP/s',
  of: ({ devices, peakFlops, efficiency = 1 }) => devices * peakFlops * efficiency,
  also: {
    perDeviceRate: { unit: 'FLOP/s', is: 'peakFlops * efficiency', of: ({ peakFlops, efficiency = 1 }) => peakFlops * efficiency },
  },
})

export const fleetEfficiency = law({
  id: 'compute/fleet-efficiency',
  name: 'Efficiency of a fleet',
  decides: 'how much more compute to provision than the model needs',
  is: 'mfu * scalingEfficiency * goodput',
  source: vol2.fleetFoundations,
  validity: 'the three losses are independent and none is counted twice: MFU on one device or node, not on the whole fleet',
  inputs: { mfu: share, scalingEfficiency: share, goodput: share, flops: maybe('FLOP') },
  output: 'efficiency',
  unit: '1',
  of: ({ mfu, scalingEfficiency, goodput }) => mfu * scalingEfficiency * goodput,
  also: {
    tax: { unit: '1', is: '1 / efficiency', of: (_, efficiency) => 1 / efficiency },
    provisionedFlops: { unit: 'FLOP', is: 'flops / efficiency', of: ({ flops = Number.NaN }, efficiency) => flops / efficiency },
  },
})

export const effectiveRate = composite({
  id: 'compute/effective-rate',
  name: 'Useful rate of a fleet',
  decides: 'what a fleet of a given size really computes',
  is: 'devices * peakFlops * mfu * scalingEfficiency * goodput',
  source: vol2.fleetFoundations,
  validity: 'the three losses are independent and none is counted twice',
  inputs: { devices: count, peakFlops: one('FLOP/s'), mfu: share, scalingEfficiency: share, goodput: share },
  output: 'effectiveRate',
  unit: 'FLOP/s',
  via: ({ devices, peakFlops, mfu, scalingEfficiency, goodput }, apply) =>
    apply(sustainedRate, { devices, peakFlops, efficiency: apply(fleetEfficiency, { mfu, scalingEfficiency, goodput }) }),
  also: {
    efficiency: {
      unit: '1',
      is: 'mfu * scalingEfficiency * goodput',
      of: ({ mfu, scalingEfficiency, goodput }) => mfu * scalingEfficiency * goodput,
    },
    tax: { unit: '1', is: '1 / efficiency', of: ({ mfu, scalingEfficiency, goodput }) => 1 / (mfu * scalingEfficiency * goodput) },
  },
})

export const maxSampleRate = law({
  id: 'compute/max-sample-rate',
  name: 'Samples per second that arithmetic allows',
  decides: 'the rate that storage and preprocessing must feed',
  is: 'peakFlops * efficiency / flopsPerSample',
  source: vol1.dataEngineering,
  validity: 'compute bound; a training sample costs three forward passes',
  inputs: { peakFlops: one('FLOP/s'), efficiency: shareOr(1), flopsPerSample: one('FLOP') },
  output: 'rate',
  unit: '1/s',
  of: ({ peakFlops, efficiency = 1, flopsPerSample }) => (peakFlops * efficiency) / flopsPerSample,
})

const WARP = 32

export const warpUtilization = law({
  id: 'compute/warp-utilization',
  name: 'Lanes filled by a batch',
  decides: 'to which multiple to round a batch or a width',
  is: 'batch / (32 * warps)',
  source: vol1.modelTraining,
  validity: 'groups of 32 lanes that run in lock step, one sample per lane',
  inputs: { batch: count },
  output: 'utilization',
  unit: '1',
  of: ({ batch }) => batch / (WARP * tolerantCeil(batch / WARP)),
  also: {
    warps: { unit: '1', is: 'ceil(batch / 32)', of: ({ batch }) => tolerantCeil(batch / WARP) },
    wasteFactor: { unit: '1', is: '1 / utilization', of: (_, utilization) => 1 / utilization },
  },
})
