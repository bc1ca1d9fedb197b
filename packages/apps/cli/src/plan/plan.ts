import type { Catalog } from '@ironlaw/catalog'
import { IronlawError, STEP_CAUSE_INFO, STEP_CAUSES } from '@ironlaw/contracts'
import { TRAINING_FIELDS, exportPlan, type Target, TARGETS } from '@ironlaw/exporters'
import {
  answerSteps,
  type Candidate,
  chanceText,
  explainedPlan,
  fitProbabilityOf,
  memoryAccount,
  paretoSteps,
  type PlannedTraining,
  type PlanningResult,
  type SearchSteps,
  sensitivities,
  strategyText,
  type Suggestion,
  type TrainingAnswer,
  type TrainingRequest,
  type Feeding,
  feedingForecast,
} from '@ironlaw/planner'
import { type ReliabilityForecast, reliabilityForecast, statedFailures } from '@ironlaw/simulator'
import { bytes, counted, dollars, gramsCO2e, joules, type Known, quantity, seconds, show, showPercent } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { catalogFor } from '../catalog/catalog-source.ts'
import { capacityTable, fullestText } from './capacity-text.ts'
import { derivationText } from './derivation.ts'
import { feedingText } from './feeding-text.ts'
import { paint } from '../paint.ts'
import { progressLine } from '../progress.ts'
import { searchInPool } from './search-pool.ts'
import { searchSuggestions } from './suggestions.ts'
import { table } from '../table.ts'
import { reliabilityText } from '../simulate/simulate-text.ts'
import { readTraining, type TrainFlags } from './train-source.ts'
import { wholeNumber } from '../whole-number.ts'

export type PlanFlags = TrainFlags & {
  readonly top: string
  readonly explain?: true
  readonly pareto?: true
  readonly export?: string
  readonly with?: string
}

export async function planTrainingAnswer(file: string | undefined, flags: PlanFlags): Promise<CommandAnswer> {
  // Before the search, which may take a while.
  if (flags.export !== undefined) refuseUnknownTarget(flags.export)
  const catalog = catalogFor(flags.with)
  const request = readTraining(catalog, file, flags)
  const { machine, wanted } = request
  const line = progressLine('strategies tried')
  const runSearch = <T>(steps: SearchSteps<T>): Promise<T> =>
    searchInPool({ machine, job: wanted.job }, steps, { progress: line.tick }).finally(line.clear)
  if (flags.pareto) return front(request, await runSearch(paretoSteps(catalog, machine, wanted)))
  const answer = await runSearch(answerSteps(catalog, request, wholeNumber('--top', flags.top)))
  const suggestions = flags.export === undefined ? await searchSuggestions(catalog, answer) : []
  return trainingPlanAnswer(catalog, { ...answer, suggestions }, flags)
}

type AnswerWithSuggestions = TrainingAnswer & { readonly suggestions: readonly Suggestion[] }

function trainingPlanAnswer(catalog: Catalog, answer: AnswerWithSuggestions, flags: PlanFlags): CommandAnswer {
  const { planning, best, setting, warnings, nothing, suggestions } = answer
  const violated = nothing ? [`${nothing.why}; ${nothing.change}`] : answer.violated
  if (flags.export !== undefined) return exportAnswer(best, flags.export, violated)
  const failures =
    best && best.plan.fleet.devices > LARGE_FLEET_DEVICES
      ? reliabilityForecast(catalog, best.plan, statedFailures(answer.request.spec))
      : undefined
  const explained = best && flags.explain ? explainedPlan(catalog, answer.request, best) : undefined
  return {
    json: {
      plans: planning.plans.map(({ plan }) => plan),
      tried: planning.found.tried,
      fitting: planning.found.fitting,
      tight: planning.tight,
      devices: planning.fleet.devices,
      memory_limit_bytes: planning.limit_bytes,
      memory_probability: planning.probability,
      tooLarge: planning.found.tooLarge.map((candidate) => tooLarge(planning, candidate)),
      assumptions: answer.request.assumptions,
      warnings,
      violated,
      suggestions,
      ...(best && { feeding: feedingForecast(catalog, best.plan) }),
      ...(failures && { reliability: withoutWalls(failures) }),
    },
    text: () =>
      text(answer.request, planning, {
        setting,
        warnings,
        suggestions: suggestions.map((suggestion) => suggestion.text),
        ...(explained && { explained }),
        ...(best && { feeding: feedingForecast(catalog, best.plan) }),
        ...(failures && { failures }),
      }),
    ...(violated.length > 0 && { exit: 3, violation: violationOf(answer) }),
  }
}

const tooLarge = ({ limit_bytes }: PlanningResult, { strategy, step_s, memory_bytes, spread_bytes }: Candidate): object => ({
  strategy,
  step_s,
  memory_bytes,
  memory_probability: fitProbabilityOf({ likely: memory_bytes, spread: spread_bytes }, limit_bytes),
})

const violationOf = ({ violated, nothing }: TrainingAnswer): NonNullable<CommandAnswer['violation']> =>
  nothing ? { problem: nothing.why, next: nothing.change } : { problem: violated.join('; '), next: LOOSEN }

const LOOSEN = 'change the limit or the request in the spec; "ironlaw plan --pareto" shows time against money'

/** From here on a run of weeks is interrupted often enough that a plan without failures misleads. */
const LARGE_FLEET_DEVICES = 256

const RARE_FAILURES = `failures: left out for at most ${LARGE_FLEET_DEVICES} accelerators, where they cost little; "ironlaw simulate run" counts them`

/** The end time of every simulated run is only needed for plots; `ironlaw simulate run` prints it. */
const withoutWalls = ({ outcome, range, ...half }: ReliabilityForecast): object => ({
  ...half,
  outcome: { ...outcome, walls_s: undefined },
  range: { ...range, walls_s: undefined },
})

/** Time against money: the best plan for every size of fleet that is worth having. */
function front({ wanted }: TrainingRequest, points: readonly PlannedTraining[]): CommandAnswer {
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
            showPercent(prediction.mfu),
            strategyText(candidate.strategy),
          ]),
          [0, 1, 2, 3, 4],
        ),
      ].join('\n'),
    ...(points.length === 0 && { notes: ['nothing fits on any number of devices; run without --pareto to see why'], exit: 3 }),
  }
}

function refuseUnknownTarget(target: string): void {
  const known = Object.keys(TARGETS)
  if (known.includes(target)) return
  throw new IronlawError('IL_USAGE', { problem: `--export: "${target}" is not one of ${known.join(', ')}`, command: 'plan' })
}

function exportAnswer(best: PlannedTraining | undefined, target: string, violated: readonly string[]): CommandAnswer {
  if (!best)
    throw new IronlawError('IL_USAGE', { problem: `there is no plan to export: ${violated[0] ?? 'nothing fits'}`, command: 'plan' })
  const { text: written, warnings, impossible } = exportPlan(best.plan, target as Target)
  if (impossible.length > 0)
    throw new IronlawError('IL_IMPOSSIBLE', { framework: target, problems: impossible.join('; '), choice: 'target', ...TRAINING_FIELDS })
  return {
    json: { plan: best.plan.id, target, text: written, warnings },
    text: () => written.trimEnd(),
    notes: warnings.map((warning) => paint('yellow', `not expressed: ${warning}`, process.stderr)),
    ...(violated.length > 0 && { exit: 3, violation: { problem: violated.join('; '), next: LOOSEN } }),
  }
}

type PlanTextParts = {
  readonly setting: string
  readonly explained?: Readonly<Record<string, Known>>
  readonly warnings: readonly string[]
  readonly suggestions: readonly string[]
  readonly failures?: ReliabilityForecast
  readonly feeding?: Feeding
}

function text(
  training: TrainingRequest,
  planning: PlanningResult,
  { setting, explained, warnings, suggestions, failures, feeding }: PlanTextParts,
): string {
  const { wanted, machine } = training
  const head = `${paint('bold', wanted.model)} on ${wanted.fleet.devices.toLocaleString('en')} x ${wanted.accelerator}, ${show(quantity(wanted.tokens, 'token'), 'token')}, batch ${wanted.job.globalBatch} x ${wanted.job.sequence}, ${wanted.job.policy.name}${methodText(wanted)}, ${machine.runtime.name}`
  const best = planning.plans[0]
  return [
    head,
    paint('dim', setting),
    ...warnings.map((warning) => paint('yellow', warning)),
    ...suggestions.map((suggestion) => paint('green', `better: ${suggestion}`)),
    ...sparesText(training, planning),
    '',
    ...(best
      ? [
          planTable(planning.plans, machine.silicon.borrowed),
          '',
          summary(best, training),
          '',
          causesTable(best),
          '',
          memoryTable(training, planning, best),
        ]
      : []),
    ...(failures ? ['', ...reliabilityText(failures)] : best ? ['', paint('dim', RARE_FAILURES)] : []),
    ...(feeding ? ['', paint('dim', feedingText(feeding))] : []),
    '',
    paint('dim', triedText(planning)),
    ...(explained && best
      ? [
          '',
          capacityTable('how full the hardware is', best.plan.prediction.capacities ?? []),
          '',
          sensitivityTable(training, best),
          '',
          derivations(explained),
        ]
      : []),
  ].join('\n')
}

function sparesText({ wanted }: TrainingRequest, { fleet }: PlanningResult): string[] {
  const spare = wanted.fleet.devices - fleet.devices
  return spare === 0
    ? []
    : [
        paint(
          'yellow',
          `${fleet.devices} of ${wanted.fleet.devices} devices are used, ${spare} ${spare === 1 ? 'stays' : 'stay'} idle: the job divides better over fewer devices`,
        ),
      ]
}

/** What is learned, where it is not the next token of whole documents. */
const methodText = ({ job, packed }: TrainingRequest['wanted']): string =>
  `${job.pairs ? ', dpo' : ''}${packed === undefined ? '' : packed ? ', packed documents' : ', padded documents'}`

const triedText = (planning: PlanningResult): string => {
  const { tried, fitting } = planning.found
  const fit = `${fitting.toLocaleString('en')} ${fitting === 1 ? 'fits' : 'fit'} into ${show(bytes(planning.limit_bytes), 'B')} with ${chanceText(planning.probability)}`
  return `${counted(tried, 'legal strategy', 'legal strategies')} tried, ${fit}${rejectedText(planning)}`
}

function rejectedText({ found, plans, limit_bytes }: PlanningResult): string {
  const fastest = found.tooLarge[0]
  const best = plans[0]
  if (!fastest || (best && fastest.step_s >= best.plan.prediction.step_s)) return ''
  return `; the fastest that does not, ${strategyText(fastest.strategy)}, would take ${show(seconds(fastest.step_s), 's')} a step and ${show(bytes(fastest.memory_bytes), 'B')}, and fits with ${chanceText(fitProbabilityOf({ likely: fastest.memory_bytes, spread: fastest.spread_bytes }, limit_bytes))}`
}

function planTable(plans: readonly PlannedTraining[], unmeasured: boolean): string {
  const rows = plans.map(({ plan: { prediction }, candidate }) => [
    strategyText(candidate.strategy),
    show(seconds(prediction.step_s), 's'),
    `${show(seconds(prediction.step_low_s), 's')} to ${show(seconds(prediction.step_high_s), 's')}`,
    show(quantity(prediction.tokens_per_s_per_device, 'token/s'), 'token/s'),
    showPercent(prediction.mfu),
    show(bytes(prediction.memory_bytes), 'B'),
    chanceText(prediction.memory_probability ?? 0).replace('more than ', '> '),
    show(seconds(prediction.duration_s), 's'),
    prediction.cost_usd === undefined ? 'no price' : show(dollars(prediction.cost_usd), 'USD'),
  ])
  const interval = unmeasured ? '90 %, kernels not measured' : '90 % interval'
  return table(['strategy', 'step', interval, 'per device', 'MFU', 'memory', 'fits', 'whole run', 'cost'], rows, [1, 2, 3, 4, 5, 6, 7, 8])
}

/** Peaks differ by precision, and so does what a share of them says. */
const peakText = (compute: string): string => `of the ${compute} peak`

function summary({ plan, economics }: PlannedTraining, { wanted }: TrainingRequest): string {
  const { prediction, id } = plan
  return [
    `${paint('bold', id)}: ${show(seconds(prediction.duration_s), 's')} for all tokens`,
    `MFU ${showPercent(prediction.mfu)} ${peakText(wanted.job.policy.compute)} (causal attention counted once, nothing recomputed), HFU ${showPercent(prediction.hfu)}; ${fullestText(prediction.capacities ?? [])}`,
    [
      economics.cost
        ? show(economics.cost.value, 'USD')
        : `cost unknown: the catalog has no price of ${wanted.accelerator}; state one (price)`,
      show(joules(economics.energy.value), 'J'),
      economics.carbon && `${show(gramsCO2e(economics.carbon.value), 'gCO2e')} CO2e`,
    ]
      .filter(Boolean)
      .join(', '),
    `embodied carbon of the accelerators for that time: ${economics.embodied ? `${show(gramsCO2e(economics.embodied.value), 'gCO2e')} CO2e` : 'unknown'}`,
  ].join('\n')
}

const BAR = 40

function causesTable({ step }: PlannedTraining): string {
  const rows = STEP_CAUSES.filter((cause) => step.causes[cause] > 0.0005 * step.total)
    .toSorted((a, b) => step.causes[b] - step.causes[a])
    .map((cause) => {
      const share = step.causes[cause] / step.total
      return [
        STEP_CAUSE_INFO[cause].words,
        show(seconds(step.causes[cause]), 's'),
        showPercent(share),
        paint('cyan', '█'.repeat(Math.round(BAR * share))),
      ]
    })
  return table(['where the step goes', '', '', ''], rows, [1, 2])
}

function memoryTable({ wanted, machine }: TrainingRequest, { limit_bytes, probability }: PlanningResult, best: PlannedTraining): string {
  const { stages, worst } = memoryAccount({ job: wanted.job, machine }, best.candidate.strategy)
  const terms = Object.entries(worst.terms)
    .filter(([, size]) => size > 0)
    .toSorted(([, a], [, b]) => b - a)
  const where = stages.length > 1 ? `stage ${worst.stage + 1} of ${stages.length}, the fullest` : 'one device'
  const { low, likely, high } = worst.device
  const parts = table(
    [`memory on ${where}`, ''],
    [
      ...terms.map(([term, size]) => [term, show(size, 'B')]),
      ['on the device', `${show(likely, 'B')} (${show(low, 'B')} to ${show(high, 'B')}, 90 %) of ${show(bytes(limit_bytes), 'B')}`],
    ],
    [1],
  )
  const chance = best.plan.prediction.memory_probability ?? 0
  const text = `fits with ${chanceText(chance)}`
  return `${parts}\n${chance < probability ? paint('yellow', `${text}: the first steps may run out of memory`) : text}`
}

/** How far the step moves when an assumption is a fifth lower or higher. */
function sensitivityTable({ machine, wanted }: TrainingRequest, { candidate, step }: PlannedTraining): string {
  const changeText = (time: number): string => `${time < step.total ? '' : '+'}${showPercent(time / step.total - 1)}`
  const rows = sensitivities(machine, wanted.job, candidate.strategy).map(({ assumption, less_s, more_s }) => [
    assumption,
    changeText(less_s),
    changeText(more_s),
    paint('cyan', '█'.repeat(Math.round((100 * Math.abs(less_s - more_s)) / step.total))),
  ])
  return table(['what the step rests on', '20 % less', '20 % more', ''], rows, [1, 2])
}

/** Causes are listed with the step. */
const EXPLAINED = ['step', 'memory', 'fit', 'cost', 'energy', 'carbon', 'embodied'] as const

const derivations = (explained: Readonly<Record<string, Known>>): string =>
  EXPLAINED.flatMap((name) => (explained[name] ? [derivationText(name, explained[name])] : [])).join('\n\n')
