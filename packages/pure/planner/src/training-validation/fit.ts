// Coefficients of software and silicon, fitted on runs. Each has one value that all software (or all silicon) shares, drawn to what is known
// beforehand, and one of its own, drawn to the shared one: few rows move it a little, none leave it there. Leaving a source out is the same
// fit on the other rows, so that nothing of the source is in what judges it.

import { curveAccelerator, siliconOf } from '../machine/silicon.ts'
import type { Machine } from '../machine/machine.ts'
import { DEFAULT_RUNTIME, RUNTIMES } from '../training/time/runtimes.ts'
import type { Runtime } from '../training/time/runtime.ts'
import { stepTime } from '../training/time/step-time.ts'
import type { Case } from './case.ts'

export type FittedRun = Case & { readonly machine: Machine }

/** `prior`: what is known before any run; `spread`: how far from it a value may well lie, as a logarithm. */
type Knob = { readonly prior: number; readonly least: number; readonly most: number; readonly spread: number }

const RUNTIME_KNOBS = {
  vectorPasses: { prior: 1.3, least: 1, most: 3.5, spread: 1 },
  tensorOverlap: { prior: 0.5, least: 0.02, most: 1, spread: 1 },
  selectiveShare: { prior: 0.5, least: 0.02, most: 1, spread: 1 },
  expertOverlap: { prior: 0.5, least: 0.02, most: 1, spread: 1 },
} as const satisfies Readonly<Record<string, Knob>>
const SUSTAINED: Knob = { prior: 0.9, least: 0.6, most: 1.15, spread: 0.1 }

type RuntimeKnob = keyof typeof RUNTIME_KNOBS
const KNOBS = Object.keys(RUNTIME_KNOBS) as readonly RuntimeKnob[]

/** By name: `vectorPasses` of all software and `megatron-core vectorPasses` of one. */
export type Coefficients = ReadonlyMap<string, number>

type Term = { readonly shared: string; readonly own: string; readonly knob: Knob }

const SAME_CHIP: Readonly<Record<string, string>> = { 'h200-sxm': 'h100-sxm' }

function chipOf({ silicon: { accelerator } }: Machine): string {
  const curve = curveAccelerator(accelerator)
  return SAME_CHIP[curve] ?? curve
}

/** The coefficients that a run's time depends on. What a runtime does not do at all is known and no coefficient. */
function termsOf(machine: Machine): readonly Term[] {
  const { runtime, curve } = machine
  const chip = chipOf(machine)
  const sustained = (of: string): Term => ({ shared: `sustained ${of}`, own: `${chip} ${of}`, knob: SUSTAINED })
  return [
    ...KNOBS.filter((name) => runtime[name] > 0).map((name): Term => ({
      shared: name,
      own: `${runtime.name} ${name}`,
      knob: RUNTIME_KNOBS[name],
    })),
    sustained('bf16'),
    ...(curve === 'fp8' ? [sustained('fp8')] : []),
  ]
}

/** Times that come from one source alone. Without it launches are those of the usual runtime, and experts cost no launches and casts of their own. */
const LAUNCHES_FROM: Readonly<Record<string, string>> = { 'megatron-core-plain': 'simumax', 'megatron-deepspeed': 'vtrain' }
const EXPERT_TIMES_FROM = 'bridge'
const NO_EXPERT_TIMES = { launchExpertForward_s: 0, launchExpertBackward_s: 0, expertCast_s: 0 } as const satisfies Partial<Runtime>

function timesWithout(source: string, { name }: Runtime): Partial<Runtime> {
  const { launchForward_s, launchBackward_s, launchExchange_s, launchStage_s } = RUNTIMES[DEFAULT_RUNTIME]
  return {
    ...(LAUNCHES_FROM[name] === source && { launchForward_s, launchBackward_s, launchExchange_s, launchStage_s }),
    ...(source === EXPERT_TIMES_FROM && NO_EXPERT_TIMES),
  }
}

/** The machine with fitted coefficients in place of those it came with, and without what `source` alone tells. */
export function refittedMachine(machine: Machine, values: Coefficients, source = ''): Machine {
  const valueOf = ({ own, shared, knob }: Term): number => values.get(own) ?? values.get(shared) ?? knob.prior
  const terms = termsOf(machine)
  const of = (name: string): Term | undefined => terms.find(({ shared }) => shared === name)
  const knobs = KNOBS.flatMap((name) => {
    const term = of(name)
    return term ? [[name, valueOf(term)] as const] : []
  })
  const runtime: Runtime = {
    ...machine.runtime,
    ...Object.fromEntries(knobs),
    ...timesWithout(source, machine.runtime),
    ...(knobs.some(([name]) => !values.has(`${machine.runtime.name} ${name}`)) && { borrowed: true }),
  }
  // What an accelerator reaches of its peak beside the curve that it borrows stays: only the curve's own rate is fitted.
  const published = siliconOf(curveAccelerator(machine.silicon.accelerator)).sustained
  const scale = (curve: 'bf16' | 'fp8'): number => {
    const term = of(`sustained ${curve}`)
    return term ? valueOf(term) / published[curve] : 1
  }
  const { engine, curve } = machine
  return {
    ...machine,
    runtime,
    engine: {
      ...engine,
      peak: engine.peak * (curve === 'bf16' || curve === 'fp8' ? scale(curve) : 1),
      attentionPeak: engine.attentionPeak * scale('bf16'),
    },
  }
}

/** The value that plans are made with, where a coefficient belongs to one runtime or chip. */
export function shippedValue(name: string): number | undefined {
  const [of = '', what = ''] = name.split(' ')
  if (what === 'bf16' || what === 'fp8') return of === 'sustained' ? undefined : siliconOf(of).sustained[what]
  const runtime: Runtime | undefined = Object.values(RUNTIMES).find((known) => known.name === of)
  return KNOBS.flatMap((knob) => (runtime && knob === what ? [runtime[knob]] : [])).at(0)
}

/** Where rows lie far off, something is missing that no coefficient should make up for: squares near zero, sizes beyond. */
const NEAR = 0.1
const lossOf = (off: number): number => (Math.abs(off) < NEAR ? off ** 2 / (2 * NEAR) : Math.abs(off) - NEAR / 2)

const pull = (value: number, { prior, spread }: Pick<Knob, 'prior' | 'spread'>): number => Math.log(value / prior) ** 2 / (2 * spread)

const STEPS = [
  [0.8, 1.25],
  [0.9, 1.1],
  [0.95, 1.05],
  [0.95, 1.05],
  [0.98, 1.02],
  [0.99, 1.01],
]

type Fitted = { readonly knob: Knob; readonly shared: string; readonly rows: FittedRun[] }

/** One coefficient after the other, in ever smaller steps; each looks only at the rows that it moves. Nothing that `without` alone tells is used. */
export function fitCoefficients(runs: readonly FittedRun[], without = ''): Coefficients {
  const values = new Map<string, number>()
  const shared = new Map<string, Fitted>()
  const own = new Map<string, Fitted>()
  const add = (to: Map<string, Fitted>, key: string, { term, run }: { term: Term; run: FittedRun }): void => {
    const known = to.get(key)
    if (known) known.rows.push(run)
    else to.set(key, { knob: term.knob, shared: term.shared, rows: [run] })
  }
  for (const run of runs)
    for (const term of termsOf(run.machine)) {
      add(shared, term.shared, { term, run })
      add(own, term.own, { term, run })
    }
  for (const [key, { knob }] of shared) values.set(key, knob.prior)
  for (const steps of STEPS) for (const [key, { knob, rows }] of shared) descend(values, key, { rows, steps, knob, without })
  for (const [key, fitted] of own) values.set(key, values.get(fitted.shared) ?? fitted.knob.prior)
  for (const steps of STEPS)
    for (const [key, { knob, rows, shared: of }] of own)
      descend(values, key, { rows, steps, knob: { ...knob, prior: values.get(of) ?? knob.prior }, without })
  return values
}

type Descent = { readonly rows: readonly FittedRun[]; readonly steps: readonly number[]; readonly knob: Knob; readonly without: string }

function descend(values: Map<string, number>, key: string, { rows, steps, knob, without }: Descent): void {
  const cost = (value: number): number => {
    values.set(key, value)
    return rows.reduce((sum, run) => sum + lossOf(offBy(run, values, without)), pull(value, knob))
  }
  let at = values.get(key) ?? knob.prior
  let least = cost(at)
  for (const step of steps) {
    const tried = Math.min(knob.most, Math.max(knob.least, at * step))
    const reached = tried === at ? least : cost(tried)
    if (reached < least) [at, least] = [tried, reached]
  }
  values.set(key, at)
}

/** Predicted over measured, as a logarithm. */
const offBy = ({ machine, job, strategy, measured }: FittedRun, values: Coefficients, without: string): number =>
  Math.log(stepTime({ machine: refittedMachine(machine, values, without), job }, strategy).total / measured.step_s)
