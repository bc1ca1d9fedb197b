// Where a step time comes from, as a derivation: the sum of its causes, each cause the sum of what `stepParts` found it is made of, with the
// curve, link or software that prices it. What a kernel costs is the curve's business and ends the tree.

import { STEP_CAUSES, type StepCause } from '@ironlaw/contracts'
import { type Known, type KnownInputs, quantity, seconds, show, showPercent, sourcedValue } from '@ironlaw/units'
import type { Setup } from '../job.ts'
import { type StepPart, stepParts } from '../time/step-parts.ts'
import type { StepTime } from '../time/timed-step.ts'
import type { Strategy } from '../strategy.ts'

const curves = ({ machine: { silicon } }: Setup): string => (silicon.borrowed ? 'another accelerator, scaled' : silicon.accelerator)
const link = ({ machine: { fabric } }: Setup): string =>
  `links: ${(fabric.linkBandwidth / 1e9).toFixed(0)} GB/s inside ${fabric.perNode} devices, ${(fabric.portBandwidth / 1e9).toFixed(1)} GB/s between, per device and direction`
const software = ({ machine: { runtime } }: Setup): string => `launch, fusion and overlap of ${runtime.name}`
const linkAndSoftware = (setup: Setup): string => `${link(setup)}; ${software(setup)}`

/** What prices each cause. */
const CAUSE_SOURCES: Readonly<Record<StepCause, (setup: Setup) => string>> = {
  products: (setup) => `${setup.machine.curve} product curve of ${curves(setup)}`,
  attention: (setup) => `attention curve of ${curves(setup)}`,
  vector: (setup) => `memory bandwidth of ${(setup.machine.engine.bandwidth / 1e12).toFixed(2)} TB/s; ${software(setup)}`,
  recompute: (setup) => `kernel curves of ${curves(setup)}`,
  tensor: linkAndSoftware,
  context: link,
  expert: link,
  launch: software,
  send: linkAndSoftware,
  bubble: (setup) => `kernel curves of ${curves(setup)}`,
  straggler: ({ machine: { fabric } }) => `nodes that differ by ${showPercent(fabric.nodeSpread)} (one standard deviation)`,
  data: linkAndSoftware,
  optimizer: ({ machine: { engine } }) => `memory bandwidth of ${(engine.bandwidth / 1e12).toFixed(2)} TB/s`,
  offload: ({ machine: { host } }) =>
    `host: ${(host.linkBandwidth / 1e9).toFixed(0)} GB/s each way, ${(host.memoryBandwidth / 1e9).toFixed(0)} GB/s of memory, per device`,
}

export function explainedStep(setup: Setup, strategy: Strategy, step: StepTime): Known<'s'> {
  const parts = Map.groupBy(stepParts(setup, strategy, step), ({ cause }) => cause)
  return summedTime(
    'step',
    Object.fromEntries(
      STEP_CAUSES.filter((cause) => parts.has(cause)).map((cause) => [cause, causeOf(setup, cause, parts.get(cause) ?? [])]),
    ),
  )
}

const causeOf = (setup: Setup, cause: StepCause, parts: readonly StepPart[]): Known<'s'> =>
  summedTime(
    cause,
    Object.fromEntries(
      parts.map(({ name, count, each_s }, at) => [unique(name, parts, at), partOf(CAUSE_SOURCES[cause](setup), { count, each_s })]),
    ),
  )

/** Weights gathered for the forward and for the backward pass bear one name. */
const unique = (name: string, parts: readonly StepPart[], at: number): string =>
  parts.findIndex((part) => part.name === name) === at ? name : `${name} (again)`

const partOf = (by: string, { count, each_s }: Pick<StepPart, 'count' | 'each_s'>): Known<'s'> =>
  sourcedValue(count * each_s, 's', { ref: by, asOf: `${count.toLocaleString('en')} x ${show(seconds(each_s), 's')}` })

const summedTime = (output: string, from: Readonly<Record<string, Known<'s'>>>): Known<'s'> => ({
  value: quantity(
    Object.values(from).reduce((sum, { value }) => sum + value, 0),
    's',
  ),
  unit: 's',
  by: { kind: 'law', law: `planner/${output}`, output, is: 'the sum of', from: from satisfies KnownInputs, outside: [] },
})
