// `npm run fit:training`: from the committed coefficients of runtimes and silicon, how much better could they fit the calibration rows? It looks
// at no other row, changes no file and prints what would move. Fitting again is for when rows or terms of the model are added.

import { builtInCatalog } from '@ironlaw/catalog'
import { machineFor, type Machine, stepTime } from '@ironlaw/planner'
import { publishedCases } from '@ironlaw/planner/validation'
import { showPercent } from '@ironlaw/units'

const ROUNDS = 6
const STEPS = [0.85, 0.95, 0.98, 1.02, 1.05, 1.15]

/** Knobs that calibration rows can tell apart, with the range in which they make sense. */
const RUNTIME_KNOBS = {
  vectorPasses: [1, 3.5],
  tensorOverlap: [0, 1],
  sendOverlap: [0, 1],
  selectiveShare: [0, 1],
} as const
type RuntimeKnob = keyof typeof RUNTIME_KNOBS
/** What the silicon sustains, as a factor on the committed share. */
const SUSTAINED_RANGE = [0.8, 1.25] as const

type Coefficients = Map<string, number>

const cases = publishedCases(builtInCatalog).filter(({ split }) => split === 'calibration')

const runtimeKey = (runtime: string, knob: RuntimeKnob): string => `${runtime} ${knob}`
const siliconKey = ({ silicon, curve }: Machine): string => `${silicon.accelerator} ${curve}`

function committedCoefficients(): Coefficients {
  const values: Coefficients = new Map()
  for (const { choice } of cases) {
    const machine = machineFor(builtInCatalog, choice)
    for (const knob of Object.keys(RUNTIME_KNOBS) as RuntimeKnob[])
      if (machine.runtime[knob] > 0) values.set(runtimeKey(machine.runtime.name, knob), machine.runtime[knob])
    values.set(siliconKey(machine), 1)
  }
  return values
}

/** The machine of a case with other coefficients. */
function withCoefficients(machine: Machine, values: Coefficients): Machine {
  const runtime = { ...machine.runtime }
  for (const knob of Object.keys(RUNTIME_KNOBS) as RuntimeKnob[])
    runtime[knob] = values.get(runtimeKey(runtime.name, knob)) ?? runtime[knob]
  const factor = values.get(siliconKey(machine)) ?? 1
  const sustained = { bf16: machine.silicon.sustained.bf16 * (machine.curve === 'bf16' ? factor : 1), fp8: machine.silicon.sustained.fp8 }
  return {
    ...machine,
    runtime,
    silicon: { ...machine.silicon, sustained },
    engine: { ...machine.engine, peak: machine.engine.peak * factor },
  }
}

const machines = cases.map(({ choice, linkBandwidth }) => {
  const machine = machineFor(builtInCatalog, choice)
  return linkBandwidth === undefined ? machine : { ...machine, fabric: { ...machine.fabric, linkBandwidth } }
})

function meanError(values: Coefficients): number {
  const errors = cases.map(({ job, strategy, measured }, index) =>
    Math.abs(Math.log(stepTime({ machine: withCoefficients(machines[index] as Machine, values), job }, strategy).total / measured.step_s)),
  )
  return errors.reduce((sum, error) => sum + error, 0) / errors.length
}

function rangeOf(key: string): readonly [number, number] {
  const knob = key.split(' ')[1] ?? ''
  return knob in RUNTIME_KNOBS ? RUNTIME_KNOBS[knob as RuntimeKnob] : SUSTAINED_RANGE
}

const start = committedCoefficients()
let best = new Map(start)
let error = meanError(best)
const before = error
for (let round = 0; round < ROUNDS; round += 1)
  for (const key of start.keys())
    for (const step of STEPS) {
      const [least, most] = rangeOf(key)
      const tried = new Map(best).set(key, Math.min(most, Math.max(least, (best.get(key) ?? 1) * step)))
      const reached = meanError(tried)
      if (reached < error) [best, error] = [tried, reached]
    }

console.log(`${cases.length} calibration rows, mean error ${showPercent(before, 2)} as committed, ${showPercent(error, 2)} at best`)
for (const [key, value] of best)
  if (Math.abs(value / (start.get(key) ?? 1) - 1) > 0.02) console.log(`  ${key}: ${start.get(key)} could be ${value.toFixed(3)}`)
