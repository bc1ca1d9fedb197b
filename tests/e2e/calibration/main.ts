// `npm run e2e:calibration`: measure this machine, plan the reference trainer at two sizes on 1, 2 and 4 ranks, run each, learn from the
// runs, plan again and run again. Predicted is compared with measured; nothing is scored on a run that it was fitted to.

import { median } from '@ironlaw/laws/quantile'
import { cpus, loadavg } from 'node:os'
import { showPercent } from '@ironlaw/units'
import { type Combination, ENVIRONMENT, FLEET, planCombination, titleOf, trainCombination, type TrainedRun } from './combination.ts'
import { LocalPlane } from './local-plane.ts'

const GOAL = { calibrated: 0.15, fedBack: 0.08 }
/** More ranks than cores: what they get of a shared node is part of what is measured. */
const RANKS = [1, 2, 4]
const STEPS = { tiny: Number(process.env['E2E_STEPS'] ?? 60), small: Number(process.env['E2E_STEPS_SMALL'] ?? 24) }
const ALL: readonly Combination[] = (['tiny', 'small'] as const).flatMap((model) =>
  RANKS.map((ranks) => ({ model, ranks, steps: STEPS[model] })),
)

type Prediction = Awaited<ReturnType<typeof planCombination>>

const startedAt = Date.now()
const say = (text: string): void => console.log(`${((Date.now() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${text}`)

const plane = new LocalPlane()
try {
  await plane.start(Math.max(...RANKS))
  say(`a control plane with one node of ${cpus().length} cores; load ${loadavg()[0]?.toFixed(1)}`)
  const published = await planAll(ALL)
  const environment = Object.entries(ENVIRONMENT).flatMap(([name, value]) => ['--environment', `${name}=${value}`])
  console.log(await plane.ironlaw('calibrate', '--on', FLEET, '--processes', String(Math.max(...RANKS)), ...environment))
  say(`measured; load ${loadavg()[0]?.toFixed(1)}`)
  const calibrated = await planAll(ALL)
  const first = await trainAll(ALL)
  printScore('published figures of one core, scaled from another accelerator', { predicted: published, measured: first })
  printScore('after calibrate', { predicted: calibrated, measured: first, goal: GOAL.calibrated })
  await testLearning(first)
} finally {
  await plane.stop()
}

/** One round of feedback, scored on runs made after it; and what runs of one size teach about the other. */
async function testLearning(first: readonly TrainedRun[]): Promise<void> {
  const of = (model: Combination['model']): number[] => ALL.flatMap((each, index) => (each.model === model ? [index] : []))
  const leftOut = new Map<number, Prediction>()
  for (const [taught, asked] of [
    [of('tiny'), of('small')],
    [of('small'), of('tiny')],
  ] as const) {
    await learnFrom(taught.map((index) => first[index]))
    const found = await planAll(asked.flatMap((index) => ALL[index] ?? []))
    asked.forEach((index, at) => leftOut.set(index, found[at] ?? fail('a plan is missing')))
    await plane.ironlaw('calibrate', '--undo')
  }
  console.log(await learnFrom(first))
  const fedBack = await planAll(ALL)
  const second = await trainAll(ALL)
  const others = ALL.map((_, index) => leftOut.get(index) ?? fail('a plan is missing'))
  printScore('after feedback from the runs of the other size alone', { predicted: others, measured: second })
  printScore('after one round of feedback', { predicted: fedBack, measured: second, goal: GOAL.fedBack })
  const between = ALL.map((_, index) => Math.abs((first[index]?.step_s ?? 0) / (second[index]?.step_s ?? 1) - 1))
  say(
    `first and second runs of a combination differ by ${showPercent(median(between))} (median), ${showPercent(Math.max(...between))} (most)`,
  )
  await learnFrom(second)
  console.log(await plane.ironlaw('calibrate', '--show'))
}

function fail(problem: string): never {
  throw new Error(problem)
}

function learnFrom(found: readonly (TrainedRun | undefined)[]): Promise<string> {
  return plane.ironlaw('calibrate', ...found.flatMap((each) => (each ? ['--from', each.run] : [])))
}

async function planAll(combinations: readonly Combination[]): Promise<readonly Prediction[]> {
  const found: Prediction[] = []
  for (const combination of combinations) found.push(await planCombination(plane, combination))
  return found
}

async function trainAll(combinations: readonly Combination[]): Promise<readonly TrainedRun[]> {
  const found: TrainedRun[] = []
  for (const combination of combinations) {
    const run = await trainCombination(plane, combination)
    const phases = Object.entries(run.phases_s).map(([phase, time]) => `${phase} ${(1000 * time).toFixed(1)}`)
    say(`${titleOf(combination)}: ${(1000 * run.step_s).toFixed(1)} ms a step (${phases.join(', ')}); load ${loadavg()[0]?.toFixed(1)}`)
    found.push(run)
  }
  return found
}

type ScoreInputs = { readonly predicted: readonly Prediction[]; readonly measured: readonly TrainedRun[]; readonly goal?: number }

function printScore(title: string, { predicted, measured, goal }: ScoreInputs): void {
  const rows = ALL.map((combination, index) => {
    const { step_s, step_low_s, step_high_s } = predicted[index] ?? fail('a plan is missing')
    const time = measured[index]?.step_s ?? fail('a run is missing')
    const inside = time >= step_low_s && time <= step_high_s
    return { combination, step_s, time, error: step_s / time - 1, width: (step_high_s - step_low_s) / step_s, inside }
  })
  console.log(`\n${title}\n  combination   predicted    measured     error   90 % interval`)
  for (const { combination, step_s, time, error, width, inside } of rows)
    console.log(
      `  ${titleOf(combination).padEnd(12)}${`${(1000 * step_s).toFixed(1)} ms`.padStart(11)}${`${(1000 * time).toFixed(1)} ms`.padStart(12)}${showPercent(error).padStart(10)}   ${inside ? 'inside' : 'outside'}, ${showPercent(width)} wide`,
    )
  const middle = median(rows.map(({ error }) => Math.abs(error)))
  const verdict = goal === undefined ? '' : middle <= goal ? `, goal ${showPercent(goal)}: reached` : `, goal ${showPercent(goal)}: missed`
  console.log(`  median error ${showPercent(middle)}${verdict}; ${rows.filter(({ inside }) => inside).length} of ${rows.length} inside\n`)
}
