import type { Catalog } from '@ironlaw/catalog'
import { IronlawError, STEP_CAUSES } from '@ironlaw/contracts'
import { exportPlan, type Target, TARGETS } from '@ironlaw/exporters'
import {
  explainedMemory,
  explainedStep,
  chosenFor,
  illegality,
  memoryAccount,
  paretoSteps,
  PLAIN,
  type PlannedTraining,
  type Planning,
  planningSteps,
  type SearchSteps,
  sensitivities,
  shortfall,
  strategyText,
  type Strategy,
} from '@ironlaw/planner'
import { type ReliabilityHalf, reliabilityHalf } from '@ironlaw/simulator'
import { bytes, dollars, gramsCO2e, joules, quantity, seconds, show } from '@ironlaw/units'
import type { Answer } from '../answer.ts'
import { catalogFor } from '../catalog-source.ts'
import { derivationText } from '../derivation.ts'
import { paint } from '../paint.ts'
import { progressLine } from '../progress.ts'
import { searchedInPool } from '../search-pool.ts'
import { table } from '../table.ts'
import { reliabilityText } from './simulate-text.ts'
import { quantityOf, type Training, trainingFrom, type TrainFlags } from '../train-source.ts'
import { wholeNumber } from '../whole-number.ts'

export type PlanFlags = TrainFlags & {
  readonly top: string
  readonly explain?: true
  readonly pareto?: true
  readonly export?: string
  readonly with?: string
}

export async function planAnswer(file: string | undefined, flags: PlanFlags): Promise<Answer> {
  const catalog = catalogFor(flags.with)
  const line = progressLine('strategies tried')
  const training = trainingFrom(catalog, file, flags)
  const answer = await planned(catalog, { ...training, progress: line.tick }, flags)
  line.clear()
  return answer
}

type Asked = Training & { readonly progress: (tried: number) => void }

const searched = <T>({ machine, wanted, progress }: Asked, steps: SearchSteps<T>): Promise<T> =>
  searchedInPool({ machine, job: wanted.job }, steps, { progress })

async function planned(catalog: Catalog, asked: Asked, flags: PlanFlags): Promise<Answer> {
  if (flags.pareto) return front(asked, await searched(asked, paretoSteps(catalog, asked.machine, asked.wanted)))
  const training = await withGoal(catalog, asked)
  const wanted = { ...training.wanted, keep: wholeNumber('--top', flags.top) }
  const planning = await searched(training, planningSteps(catalog, training.machine, wanted))
  const best = planning.plans[0]
  const violated = best ? constraints(training, best) : [nothingFits(training, planning)]
  if (flags.export !== undefined) return exported(best, flags.export, violated)
  const failures = best && best.plan.fleet.devices > FAILS_OFTEN ? reliabilityHalf(catalog, best.plan) : undefined
  const warnings = warningsOf(training, planning)
  return {
    json: {
      plans: planning.plans.map(({ plan }) => plan),
      tried: planning.found.tried,
      fitting: planning.found.fitting,
      tight: planning.tight,
      devices: planning.fleet.devices,
      memory_limit_bytes: planning.limit_bytes,
      tooLarge: planning.found.tooLarge.map(({ strategy, step_s, memory_bytes }) => ({ strategy, step_s, memory_bytes })),
      warnings,
      violated,
      ...(failures && { reliability: withoutWalls(failures) }),
    },
    text: () => text(training, planning, { explained: flags.explain === true, warnings, violated, ...(failures && { failures }) }),
    ...(violated.length > 0 && { exit: 3 }),
  }
}

const warningsOf = (training: Training, planning: Planning): readonly string[] => [
  ...training.warnings,
  ...(training.machine.silicon.borrowed ? [borrowed(training)] : []),
  ...(planning.tight ? [tight(training, planning)] : []),
]

/** A layout that may run: whoever knows that it does should not be told that it cannot. */
function tight({ wanted, machine }: Training, { plans, limit_bytes }: Planning): string {
  const best = plans[0]?.candidate
  if (!best) return ''
  const { low, likely } = memoryAccount({ job: wanted.job, machine }, best.strategy).worst.device
  const short = shortfall({ job: wanted.job, machine }, best.strategy, { fleet: wanted.fleet, limit: limit_bytes })
  const remedy = short?.remedies[0] ? `; to be sure, ${short.remedies[0].change}` : ''
  return `tight: the best plan needs ${show(low, 'B')} to ${show(likely, 'B')} of ${show(bytes(limit_bytes), 'B')} per device, and no layout is sure to fit${remedy}`
}

/** From here on a run of weeks is interrupted often enough that a plan without failures misleads. */
const FAILS_OFTEN = 256

/** The end of every simulated run is for pictures; `ironlaw simulate run` gives it. */
const withoutWalls = ({ outcome, ...half }: ReliabilityHalf): object => ({ ...half, outcome: { ...outcome, walls_s: undefined } })

/** Money and energy may want fewer devices than there are: the fleet that serves the goal within deadline and budget. */
async function withGoal(catalog: Catalog, training: Asked): Promise<Asked> {
  const { spec, wanted, machine } = training
  if (spec.goal === 'time' && spec.budget === undefined) return training
  const limits = {
    ...(spec.deadline !== undefined && { deadline_s: quantityOf(spec.deadline, 's') }),
    ...(spec.budget !== undefined && { budget_usd: quantityOf(spec.budget, 'USD') }),
  }
  const chosen = chosenFor(await searched(training, paretoSteps(catalog, machine, wanted)), spec.goal, limits)
  return chosen ? { ...training, wanted: { ...wanted, fleet: { ...wanted.fleet, devices: chosen.plan.fleet.devices } } } : training
}

/** Time against money: the best plan for every size of fleet that is worth having. */
function front({ wanted }: Training, points: readonly PlannedTraining[]): Answer {
  return {
    json: { front: points.map(({ plan }) => plan) },
    text: () =>
      [
        `${paint('bold', wanted.model)} on up to ${wanted.fleet.devices.toLocaleString('en')} x ${wanted.accelerator}: time against money`,
        '',
        table(
          ['devices', 'whole run', 'cost', 'energy', 'MFU', 'strategy'],
          points.map(({ plan: { fleet, prediction }, candidate }) => [
            fleet.devices.toLocaleString('en'),
            show(seconds(prediction.duration_s), 's'),
            prediction.cost_usd === undefined ? '' : show(dollars(prediction.cost_usd), 'USD'),
            show(joules(prediction.energy_j ?? 0), 'J'),
            `${(100 * prediction.mfu).toFixed(1)} %`,
            strategyText(candidate.strategy),
          ]),
          [0, 1, 2, 3, 4],
        ),
      ].join('\n'),
    ...(points.length === 0 && { notes: ['nothing fits on any number of devices; run without --pareto to see why'], exit: 3 }),
  }
}

const borrowed = ({ wanted }: Training): string =>
  `no kernel measurements of ${wanted.accelerator}: the curve of another accelerator, scaled by its peaks, with a wider interval`

/** What the spec states and the best plan breaks. */
function constraints({ spec }: Training, { plan }: PlannedTraining): string[] {
  const { duration_s, cost_usd } = plan.prediction
  const late = spec.deadline !== undefined && duration_s > quantityOf(spec.deadline, 's')
  const dear = spec.budget !== undefined && cost_usd !== undefined && cost_usd > quantityOf(spec.budget, 'USD')
  return [
    ...(late ? [`the best plan takes ${show(seconds(duration_s), 's')}, the deadline is ${spec.deadline}`] : []),
    ...(dear ? [`the best plan costs ${show(dollars(cost_usd), 'USD')}, the budget is ${spec.budget}`] : []),
  ]
}

/** Why no strategy is left: what the given ones break, or how much memory the smallest would need. */
function nothingFits({ wanted, spec, machine }: Training, { found, limit_bytes }: Planning): string {
  const least = found.smallest
  const { memory } = machine.host
  if (!least && found.host_bytes !== undefined && memory !== undefined)
    return `nothing fits: with the optimizer off the device, the host would need ${show(bytes(found.host_bytes), 'B')} per device and has ${show(bytes(memory), 'B')}; more devices, or keep it on nvme`
  if (!least) return `no legal strategy: ${firstIllegality({ wanted, spec }) ?? 'the global batch cannot be divided over the devices'}`
  const short = shortfall({ job: wanted.job, machine }, least.strategy, { fleet: wanted.fleet, limit: limit_bytes })
  const help = short?.remedies[0] ? `; ${short.remedies[0].change}` : '; more devices, or a smaller model, batch or sequence'
  return `nothing fits: the smallest, ${strategyText(least.strategy)}, would need ${show(bytes(least.memory_bytes), 'B')} of ${show(bytes(limit_bytes), 'B')} per device, mostly ${short?.dominant ?? 'states'}${help}`
}

function firstIllegality({ wanted, spec }: Pick<Training, 'wanted' | 'spec'>): string | undefined {
  const asked = { ...PLAIN, ...spec.strategy } as Strategy
  const rest = wanted.fleet.devices / (asked.tensor * asked.context * asked.pipeline)
  if (!Number.isInteger(rest))
    return `tensor ${asked.tensor} x context ${asked.context} x pipeline ${asked.pipeline} does not divide ${wanted.fleet.devices} devices`
  return illegality(wanted.job, { ...asked, data: spec.strategy?.data ?? rest }, wanted.fleet)
}

function exported(best: PlannedTraining | undefined, target: string, violated: readonly string[]): Answer {
  const known = Object.keys(TARGETS)
  if (!known.includes(target))
    throw new IronlawError('IL_USAGE', { problem: `--export: "${target}" is not one of ${known.join(', ')}`, command: 'plan' })
  if (!best)
    throw new IronlawError('IL_USAGE', { problem: `there is no plan to export: ${violated[0] ?? 'nothing fits'}`, command: 'plan' })
  const { text: written, warnings, impossible } = exportPlan(best.plan, target as Target)
  if (impossible.length > 0) throw new IronlawError('IL_IMPOSSIBLE', { framework: target, problems: impossible.join('; ') })
  return {
    json: { plan: best.plan.id, target, text: written, warnings },
    text: () => written.trimEnd(),
    notes: [
      ...warnings.map((warning) => paint('yellow', `not expressed: ${warning}`, process.stderr)),
      ...violated.map((reason) => paint('red', reason, process.stderr)),
    ],
    ...(violated.length > 0 && { exit: 3 }),
  }
}

type Shown = {
  readonly explained: boolean
  readonly warnings: readonly string[]
  readonly violated: readonly string[]
  readonly failures?: ReliabilityHalf
}

function text(training: Training, planning: Planning, { explained, warnings, violated, failures }: Shown): string {
  const { wanted, machine } = training
  const head = `${paint('bold', wanted.model)} on ${wanted.fleet.devices.toLocaleString('en')} x ${wanted.accelerator}, ${show(quantity(wanted.tokens, 'token'), 'token')}, batch ${wanted.job.globalBatch} x ${wanted.job.sequence}, ${wanted.job.policy.name}, ${machine.runtime.name}`
  const best = planning.plans[0]
  return [
    head,
    ...warnings.map((warning) => paint('yellow', warning)),
    ...violated.map((reason) => paint('red', reason)),
    ...spares(training, planning),
    '',
    ...(best ? [planTable(planning.plans), '', summary(best), '', causes(best), '', memory(training, best)] : []),
    ...(failures ? ['', ...reliabilityText(failures)] : []),
    '',
    paint(
      'dim',
      `${planning.found.tried.toLocaleString('en')} legal strategies tried, ${planning.found.fitting.toLocaleString('en')} fit into ${show(bytes(planning.limit_bytes), 'B')}${rejected(planning)}`,
    ),
    ...(explained && best ? ['', tornado(training, best), '', planDerivations(training, best), '', derivations(best)] : []),
  ].join('\n')
}

function spares({ wanted }: Training, { fleet }: Planning): string[] {
  const spare = wanted.fleet.devices - fleet.devices
  return spare === 0
    ? []
    : [paint('yellow', `${fleet.devices} of ${wanted.fleet.devices} devices work, ${spare} stand by: fewer divide the job better than all`)]
}

function rejected({ found, plans, limit_bytes }: Planning): string {
  const fastest = found.tooLarge[0]
  const best = plans[0]
  if (!fastest || (best && fastest.step_s >= best.plan.prediction.step_s)) return ''
  return `; the fastest that does not, ${strategyText(fastest.strategy)}, would take ${show(seconds(fastest.step_s), 's')} a step and ${show(bytes(fastest.memory_bytes), 'B')} (limit ${show(bytes(limit_bytes), 'B')})`
}

function planTable(plans: readonly PlannedTraining[]): string {
  const rows = plans.map(({ plan: { prediction }, candidate }) => [
    strategyText(candidate.strategy),
    show(seconds(prediction.step_s), 's'),
    `${show(seconds(prediction.step_low_s), 's')} to ${show(seconds(prediction.step_high_s), 's')}`,
    show(quantity(prediction.tokens_per_s_per_device, 'token/s'), 'token/s'),
    `${(100 * prediction.mfu).toFixed(1)} %`,
    show(bytes(prediction.memory_bytes), 'B'),
    show(seconds(prediction.duration_s), 's'),
    prediction.cost_usd === undefined ? '' : show(dollars(prediction.cost_usd), 'USD'),
  ])
  return table(['strategy', 'step', '90 % interval', 'per device', 'MFU', 'memory', 'whole run', 'cost'], rows, [1, 2, 3, 4, 5, 6, 7])
}

function summary({ plan, economics }: PlannedTraining): string {
  const { prediction, id } = plan
  return [
    `${paint('bold', id)}: ${show(seconds(prediction.duration_s), 's')} for all tokens`,
    `MFU ${(100 * prediction.mfu).toFixed(1)} % (causal attention counted once, nothing recomputed), HFU ${(100 * prediction.hfu).toFixed(1)} %`,
    [
      economics.cost && show(economics.cost.value, 'USD'),
      show(joules(economics.energy.value), 'J'),
      economics.carbon && `${show(gramsCO2e(economics.carbon.value), 'gCO2e')} CO2e`,
    ]
      .filter(Boolean)
      .join(', '),
    `embodied carbon of the accelerators for that time: ${economics.embodied ? `${show(gramsCO2e(economics.embodied.value), 'gCO2e')} CO2e` : 'unknown'}`,
  ].join('\n')
}

const BAR = 40

function causes({ step }: PlannedTraining): string {
  const rows = STEP_CAUSES.filter((cause) => step.causes[cause] > 0.0005 * step.total)
    .toSorted((a, b) => step.causes[b] - step.causes[a])
    .map((cause) => {
      const share = step.causes[cause] / step.total
      return [
        cause,
        show(seconds(step.causes[cause]), 's'),
        `${(100 * share).toFixed(1)} %`,
        paint('cyan', '█'.repeat(Math.round(BAR * share))),
      ]
    })
  return table(['where the step goes', '', '', ''], rows, [1, 2])
}

function memory({ wanted, machine }: Training, { candidate }: PlannedTraining): string {
  const { stages, worst } = memoryAccount({ job: wanted.job, machine }, candidate.strategy)
  const terms = Object.entries(worst.terms)
    .filter(([, size]) => size > 0)
    .toSorted(([, a], [, b]) => b - a)
  const where = stages.length > 1 ? `stage ${worst.stage + 1} of ${stages.length}, the fullest` : 'one device'
  return table(
    [`memory on ${where}`, ''],
    [
      ...terms.map(([term, size]) => [term, show(size, 'B')]),
      ['on the device', `${show(worst.device.likely, 'B')} (${show(worst.device.low, 'B')} to ${show(worst.device.high, 'B')})`],
    ],
    [1],
  )
}

/** How far the step moves when an assumption is a fifth less or more. */
function tornado({ machine, wanted }: Training, { candidate, step }: PlannedTraining): string {
  const moved = (time: number): string => `${time < step.total ? '' : '+'}${(100 * (time / step.total - 1)).toFixed(1)} %`
  const rows = sensitivities(machine, wanted.job, candidate.strategy).map(({ assumption, less_s, more_s }) => [
    assumption,
    moved(less_s),
    moved(more_s),
    paint('cyan', '█'.repeat(Math.round((100 * Math.abs(less_s - more_s)) / step.total))),
  ])
  return table(['what the step rests on', '20 % less', '20 % more', ''], rows, [1, 2])
}

const planDerivations = ({ machine, wanted: { job } }: Training, { candidate: { strategy }, step }: PlannedTraining): string =>
  [
    derivationText('step', explainedStep({ machine, job }, strategy, step)),
    derivationText('memory', explainedMemory({ machine, job }, strategy)),
  ].join('\n\n')

const derivations = ({ economics }: PlannedTraining): string =>
  [
    economics.cost && derivationText('cost', economics.cost),
    derivationText('energy', economics.energy),
    economics.carbon && derivationText('carbon', economics.carbon),
    economics.embodied && derivationText('embodied', economics.embodied),
  ]
    .filter(Boolean)
    .join('\n\n')
