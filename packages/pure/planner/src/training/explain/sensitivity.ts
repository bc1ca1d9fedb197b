// Which assumption decides: the step at a fifth less and a fifth more of each thing the prediction rests on, everything else held. The widest
// bar of this tornado is the figure worth measuring next.

import type { TrainingJob } from '../job.ts'
import type { Machine } from '../../machine/machine.ts'
import { stepTime } from '../time/step-time.ts'
import type { Strategy } from '../strategy.ts'

export type Sensitivity = { readonly assumption: string; readonly less_s: number; readonly more_s: number }

const CHANGE = 0.2

type ScaledAssumption = { readonly assumption: string; readonly scaled: (machine: Machine, factor: number) => Machine }

const ASSUMPTIONS: readonly ScaledAssumption[] = [
  {
    assumption: 'rate of the matrix units',
    scaled: (machine, factor) => ({
      ...machine,
      engine: { ...machine.engine, peak: machine.engine.peak * factor, attentionPeak: machine.engine.attentionPeak * factor },
    }),
  },
  {
    assumption: 'memory bandwidth',
    scaled: (machine, factor) => ({ ...machine, engine: { ...machine.engine, bandwidth: machine.engine.bandwidth * factor } }),
  },
  {
    assumption: 'link inside a node',
    scaled: (machine, factor) => ({ ...machine, fabric: { ...machine.fabric, linkBandwidth: machine.fabric.linkBandwidth * factor } }),
  },
  {
    assumption: 'network between nodes',
    scaled: (machine, factor) => ({ ...machine, fabric: { ...machine.fabric, portBandwidth: machine.fabric.portBandwidth * factor } }),
  },
  {
    assumption: 'spread of the nodes',
    scaled: (machine, factor) => ({ ...machine, fabric: { ...machine.fabric, nodeSpread: machine.fabric.nodeSpread * factor } }),
  },
  {
    assumption: 'passes over memory of unfused work',
    scaled: (machine, factor) => ({ ...machine, runtime: { ...machine.runtime, vectorPasses: machine.runtime.vectorPasses * factor } }),
  },
  {
    assumption: 'overlap of tensor-parallel exchange',
    scaled: (machine, factor) => ({
      ...machine,
      runtime: { ...machine.runtime, tensorOverlap: Math.min(1, machine.runtime.tensorOverlap * factor) },
    }),
  },
  {
    assumption: 'overlap of data-parallel exchange',
    scaled: (machine, factor) => ({
      ...machine,
      runtime: {
        ...machine.runtime,
        gradientOverlap: Math.min(1, machine.runtime.gradientOverlap * factor),
        weightOverlap: Math.min(1, machine.runtime.weightOverlap * factor),
      },
    }),
  },
]

/** Widest first. */
export function sensitivities(machine: Machine, job: TrainingJob, strategy: Strategy): readonly Sensitivity[] {
  const at = (changed: Machine): number => stepTime({ machine: changed, job }, strategy).total
  return ASSUMPTIONS.map(({ assumption, scaled }) => ({
    assumption,
    less_s: at(scaled(machine, 1 - CHANGE)),
    more_s: at(scaled(machine, 1 + CHANGE)),
  })).toSorted((a, b) => Math.abs(b.less_s - b.more_s) - Math.abs(a.less_s - a.more_s))
}
