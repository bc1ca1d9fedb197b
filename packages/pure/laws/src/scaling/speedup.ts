import { count, law, one, share } from '../law.ts'
import { AMDAHL, vol1, vol2 } from '../sources.ts'

export const amdahl = law({
  id: 'scaling/amdahl',
  name: "Amdahl's law",
  decides: 'what speeding up one part brings for the whole',
  is: '1 / ((1 - parallelFraction) + parallelFraction / partSpeedup)',
  source: AMDAHL,
  validity: 'fixed problem; fraction measured as time before the change; no overhead added by it',
  inputs: { parallelFraction: share, partSpeedup: one('1') },
  output: 'speedup',
  unit: '1',
  of: ({ parallelFraction, partSpeedup }) => 1 / (1 - parallelFraction + parallelFraction / partSpeedup),
})

export const amdahlLimit = law({
  id: 'scaling/amdahl-limit',
  name: 'Ceiling of any speedup',
  decides: 'whether to go on with this part or turn to what remains',
  is: '1 / (1 - parallelFraction)',
  source: AMDAHL,
  validity: 'fixed problem, the part made infinitely fast',
  inputs: { parallelFraction: share },
  output: 'speedup',
  unit: '1',
  of: ({ parallelFraction }) => 1 / (1 - parallelFraction),
})

export const amdahlInverse = law({
  id: 'scaling/amdahl-inverse',
  name: 'Fraction that an observed speedup implies',
  decides: 'how much of the time the accelerated part really was',
  is: '(1 - 1 / speedup) / (1 - 1 / partSpeedup)',
  source: `${AMDAHL}; solved for the fraction`,
  validity: 'fixed problem; everything not accelerated took as long as before',
  holds: ({ speedup, partSpeedup }) => partSpeedup > 1 && speedup <= partSpeedup,
  inputs: { speedup: one('1', { least: 1 }), partSpeedup: one('1', { least: 1 }) },
  output: 'parallelFraction',
  unit: '1',
  of: ({ speedup, partSpeedup }) => (1 - 1 / speedup) / (1 - 1 / partSpeedup),
})

export const gustafson = law({
  id: 'scaling/gustafson',
  name: "Gustafson's law",
  decides: 'what more devices bring when the problem grows with them',
  is: 'devices - serialFraction * (devices - 1)',
  source: "J. L. Gustafson, Reevaluating Amdahl's Law, CACM 31(5), 1988",
  validity: 'weak scaling: work per device stays the same; fraction measured on the parallel machine',
  inputs: { devices: count, serialFraction: share },
  output: 'speedup',
  unit: '1',
  of: ({ devices, serialFraction }) => devices - serialFraction * (devices - 1),
})

export const karpFlatt = law({
  id: 'scaling/serial-fraction',
  name: 'Serial fraction from a measured speedup (Karp-Flatt)',
  decides: 'whether poor scaling comes from serial work or, if it rises with the devices, from overhead',
  is: '(1 / speedup - 1 / devices) / (1 - 1 / devices)',
  source: 'A. H. Karp, H. P. Flatt, Measuring Parallel Processor Performance, CACM 33(5), 1990',
  validity: 'fixed problem on more than one device',
  inputs: { speedup: one('1'), devices: one('1', { least: 2 }) },
  output: 'serialFraction',
  unit: '1',
  of: ({ speedup, devices }) => (1 / speedup - 1 / devices) / (1 - 1 / devices),
})

export const universalScalability = law({
  id: 'scaling/universal',
  name: 'Universal scalability law',
  decides: 'beyond how many devices or threads more of them slow the work down',
  is: 'devices / (1 + contention * (devices - 1) + coherence * devices * (devices - 1))',
  source: 'N. J. Gunther, Guerrilla Capacity Planning, Springer, 2007',
  validity: 'contention and coherence fitted to measurements that reach near the peak; without coherence it is Amdahl',
  inputs: { devices: count, contention: share, coherence: share },
  output: 'speedup',
  unit: '1',
  of: ({ devices, contention, coherence }) => devices / (1 + contention * (devices - 1) + coherence * devices * (devices - 1)),
  also: {
    bestDevices: {
      unit: '1',
      is: 'sqrt((1 - contention) / coherence)',
      of: ({ contention, coherence }) => Math.sqrt((1 - contention) / coherence),
    },
  },
})

export const strongEfficiency = law({
  id: 'scaling/strong-efficiency',
  name: 'Strong scaling efficiency',
  decides: 'whether more devices still pay for the same job',
  is: 'timeOne / (devices * timeMany)',
  source: vol1.benchmarking,
  validity: 'the same job both times',
  inputs: { timeOne: one('s'), timeMany: one('s'), devices: count },
  output: 'efficiency',
  unit: '1',
  of: ({ timeOne, timeMany, devices }) => timeOne / (devices * timeMany),
  also: { idealTime: { unit: 's', is: 'timeOne / devices', of: ({ timeOne, devices }) => timeOne / devices } },
})

export const efficiencyFromThroughput = law({
  id: 'scaling/efficiency-from-throughput',
  name: 'Scaling efficiency from measured throughput',
  decides: 'whether a larger allocation uses its devices as well as a smaller one',
  is: 'throughput / (devices / baselineDevices * baselineThroughput)',
  source: vol2.fleetOrchestration,
  validity: 'same work per sample; relative to the baseline, which may itself be inefficient',
  inputs: { throughput: one('1/s'), devices: count, baselineThroughput: one('1/s'), baselineDevices: count },
  output: 'efficiency',
  unit: '1',
  of: ({ throughput, devices, baselineThroughput, baselineDevices }) => throughput / ((devices / baselineDevices) * baselineThroughput),
})

export const expansionSpeedup = law({
  id: 'scaling/expansion-speedup',
  name: 'Speedup of a larger cluster at its lower efficiency',
  decides: 'whether an expansion is worth its devices',
  is: 'newDevices / devices * newEfficiency / efficiency',
  source: vol2.fleetFoundations,
  validity: 'efficiencies measured or modeled at both sizes for the same job',
  inputs: { devices: count, efficiency: share, newDevices: count, newEfficiency: share },
  output: 'speedup',
  unit: '1',
  of: ({ devices, efficiency, newDevices, newEfficiency }) => ((newDevices / devices) * newEfficiency) / efficiency,
})
