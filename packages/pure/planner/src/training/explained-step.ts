// Where a step time comes from, as a derivation: the sum of its causes, each cause as what one microbatch costs times how many there are, with
// the curve, link or software that prices it. Read off a step that `stepTime` composed; what a kernel costs is
// the curve's business and ends the tree.

import { type Known, type KnownInputs, quantity, sourced } from '@ironlaw/units'
import type { Setup } from './layer-time.ts'
import { microbatchesOf } from './microbatches.ts'
import { type Cause, CAUSES, type StepTime } from './step-time.ts'
import type { Strategy } from './strategy.ts'

type Priced = { readonly by: (setup: Setup) => string; readonly once?: string }

const silicon = ({ machine: { silicon: curve } }: Setup): string =>
  `kernel curves of ${curve.borrowed ? 'another accelerator, scaled' : curve.accelerator}: ${curve.source.ref}`
const link = ({ machine: { fabric } }: Setup): string =>
  `links: ${(fabric.linkBandwidth / 1e9).toFixed(0)} GB/s inside ${fabric.perNode} devices, ${(fabric.portBandwidth / 1e9).toFixed(1)} GB/s between, per device and direction`
const software = ({ machine: { runtime } }: Setup): string => `launch, fusion and overlap of ${runtime.name}`

/** What prices each cause; `once` where it is paid per step and not per microbatch, with the reason. */
const PRICED: Readonly<Record<Cause, Priced>> = {
  products: { by: silicon },
  attention: { by: silicon },
  vector: { by: (setup) => `memory bandwidth of ${(setup.machine.engine.bandwidth / 1e12).toFixed(2)} TB/s; ${software(setup)}` },
  recompute: { by: silicon },
  tensor: { by: (setup) => `${link(setup)}; ${software(setup)}` },
  context: { by: link },
  expert: { by: link },
  launch: { by: software },
  send: { by: (setup) => `${link(setup)}; ${software(setup)}` },
  bubble: { by: silicon, once: 'the other stages of the pipeline, filled and drained once' },
  straggler: {
    by: ({ machine: { fabric } }) => `nodes that differ by ${(100 * fabric.nodeSpread).toFixed(1)} % (one standard deviation)`,
    once: 'everybody waits for the slowest of all nodes',
  },
  data: {
    by: (setup) => `${link(setup)}; ${software(setup)}`,
    once: 'gradients and weights among replicas, as far as passes do not hide them',
  },
  optimizer: {
    by: ({ machine: { engine } }) => `memory bandwidth of ${(engine.bandwidth / 1e12).toFixed(2)} TB/s`,
    once: 'states read and written once',
  },
}

export function explainedStep(setup: Setup, strategy: Strategy, step: StepTime): Known<'s'> {
  const microbatches = microbatchesOf(setup.job, strategy)
  const from: KnownInputs = Object.fromEntries(
    CAUSES.filter((cause) => step.causes[cause] > 0).map((cause) => [
      cause,
      causeOf(setup, cause, { time: step.causes[cause], microbatches }),
    ]),
  )
  const value = Object.values(from).reduce((sum, cause) => sum + (cause as Known).value, 0)
  return {
    value: quantity(value, 's'),
    unit: 's',
    by: { kind: 'law', law: 'planner/step-time', output: 'step', is: Object.keys(from).join(' + '), from, outside: [] },
  }
}

function causeOf(setup: Setup, cause: Cause, { time, microbatches }: { readonly time: number; readonly microbatches: number }): Known<'s'> {
  const { by, once } = PRICED[cause]
  const source = { ref: by(setup), asOf: once ?? 'one microbatch' }
  if (once !== undefined) return sourced(time, 's', source)
  const from = {
    microbatches: sourced(microbatches, '1', { ref: 'global batch over replicas and microbatch', asOf: 'one step' }),
    each: sourced(time / microbatches, 's', source),
  }
  return {
    value: quantity(from.microbatches.value * from.each.value, 's'),
    unit: 's',
    by: { kind: 'law', law: `planner/${cause}`, output: cause, is: 'microbatches * each', from, outside: [] },
  }
}
