// From what is wanted to the best ways of doing it: search, predict, price, explain the rejected.

import { accelerator as acceleratorOf, type Catalog } from '@ironlaw/catalog'
import { IronlawError, planId, type TrainingPlan } from '@ironlaw/contracts'
import { mfu } from '@ironlaw/laws/compute/efficiency'
import { givenValue, type Known, quantity } from '@ironlaw/units'
import { type Economics, economicsOf } from '../economics.ts'
import { stepInterval } from './time/interval.ts'
import type { TrainingJob } from './job.ts'
import type { Machine } from '../machine/machine.ts'
import { divisionLimits, type PlanFleet } from './search/legality.ts'
import { muonProblem } from './search/muon-limits.ts'
import { memoryLimit } from '../machine/machine-for.ts'
import { DEFAULT_FIT_PROBABILITY, fitProbabilityOf } from './memory/device-need.ts'
import { peakOf } from '../machine/peak.ts'
import type { Candidate } from './search/ranking.ts'
import { type ProgressCallback, type SearchLimits, type SearchResult, type SearchSpace, WHOLE_SPACE } from './search/search.ts'
import { runSearchSteps, type SearchSteps } from './search/search-steps.ts'
import { overfilled, overfilledText } from '../capacity.ts'
import { trainingCapacities } from './time/capacities.ts'
import { stepTime } from './time/step-time.ts'
import type { StepTime } from './time/timed-step.ts'
import { stepFlops } from './time/utilization.ts'

export type TrainingPlanInputs = {
  readonly name: string
  readonly model: string
  readonly job: TrainingJob
  readonly tokens: number
  readonly accelerator: string
  readonly fleet: PlanFleet
  /** Devices per host, where the fast links join several hosts. */
  readonly perHost?: number
  /** Whether documents share sequences or are padded; absent where each is a sequence. */
  readonly packed?: boolean
  readonly price?: Known<'USD/s'>
  readonly region?: string
  readonly fixed?: SearchSpace['fixed']
  /** With which plans are to fit into memory. */
  readonly memoryProbability?: number
  readonly keep: number
  readonly progress?: ProgressCallback
}

export type PlannedTraining = {
  readonly plan: TrainingPlan
  readonly candidate: Candidate
  readonly step: StepTime
  readonly economics: Economics
}

export type PlanningResult = {
  readonly plans: readonly PlannedTraining[]
  /** Nothing fits with the probability asked for; the plans are of layouts that may fit. */
  readonly tight: boolean
  readonly found: SearchResult
  readonly limit_bytes: number
  /** With which plans were to fit. */
  readonly probability: number
  /** The devices that the plans use: all of the fleet, or fewer where no strategy divides them all. */
  readonly fleet: PlanFleet
}

/** Share of the fleet that may stand by as spares to make the rest divide. */
const MOST_SPARE = 0.15
/** Nodes at a time in which a fleet is rounded down. */
const ROUND_NODES = [1, 2, 4, 8, 16, 32, 64]

export const planTraining = (catalog: Catalog, machine: Machine, wanted: TrainingPlanInputs): PlanningResult =>
  runSearchSteps({ machine, job: wanted.job }, planningSteps(catalog, machine, wanted), wanted.progress)

export function* planningSteps(catalog: Catalog, machine: Machine, wanted: TrainingPlanInputs): SearchSteps<PlanningResult> {
  const limit = memoryLimit(catalog, wanted.accelerator)
  const probability = wanted.memoryProbability ?? DEFAULT_FIT_PROBABILITY
  const { fleet, found } = yield* withOffload(
    { ...wanted, machine },
    { memory_bytes: limit, probability, keep: wanted.keep, scope: 'kinds' },
  )
  const used = { ...wanted, fleet, held: wanted.fleet.devices }
  const chosen = found.best.length > 0 ? found.best : found.tight
  const planned = chosen.map((candidate) => plannedTraining(catalog, machine, { wanted: used, candidate, limit }))
  return {
    plans: withinCapacities(wanted.accelerator, planned),
    tight: found.best.length === 0 && found.tight.length > 0,
    found,
    limit_bytes: limit,
    probability,
    fleet,
  }
}

/** Predictions come from curves and corrections that were measured: where those are wrong, a plan beyond the device is refused, not shown. */
function withinCapacities(accelerator: string, planned: readonly PlannedTraining[]): readonly PlannedTraining[] {
  const excess = ({ plan }: PlannedTraining) => overfilled(plan.prediction.capacities ?? [])
  const possible = planned.filter((each) => !excess(each))
  const beyond = planned.flatMap((each) => excess(each) ?? [])[0]
  if (possible.length > 0 || !beyond) return possible
  throw new IronlawError(
    'IL_FACT',
    { file: accelerator, path: beyond.resource, problem: overfilledText(beyond) },
    { next: 'measure the device again ("ironlaw profile"), or plan without its measurements' },
  )
}

/** States leave the device only where nothing fits with them on it, or what may fit is slower: first for the host, then for its drives. */
function* withOffload(
  { machine, ...wanted }: TrainingPlanInputs & { readonly machine: Machine },
  limits: SearchLimits,
): SearchSteps<SearchedFleet> {
  const onDevice = yield* searchedFleet(wanted, limits)
  if (!isTooLarge(onDevice) || wanted.fixed?.optimizerOn !== undefined) return onDevice
  const mayTake_s = onDevice.found.tight[0]?.step_s ?? Infinity
  for (const optimizerOn of ['host', 'nvme'] as const) {
    if (muonProblem({ machine, job: wanted.job }, { optimizerOn })) continue
    const offloaded = yield* searchedFleet({ ...wanted, fixed: { ...wanted.fixed, optimizerOn } }, limits)
    if (offloaded.found.best.some(({ step_s }) => step_s < mayTake_s)) return offloaded
  }
  return onDevice
}

/** Memory is what is missing. */
const isTooLarge = ({ found: { best, smallest } }: SearchedFleet): boolean => best.length === 0 && smallest !== undefined

type SearchedFleet = { readonly fleet: PlanFleet; readonly found: SearchResult }

/** Not every count of devices divides the work well: rounder counts of whole nodes are tried too, the rest standing by as spares. */
function* searchedFleet({ fleet: { devices, perNode }, fixed = {} }: TrainingPlanInputs, limits: SearchLimits): SearchSteps<SearchedFleet> {
  const fleets = fleetSizes(devices, perNode).map((count) => ({ devices: count, perNode }))
  const found = yield fleets.map((fleet) => ({ fleet, limits, space: { ...WHOLE_SPACE, fixed } }))
  const tries = found.flatMap((result, index): SearchedFleet[] => fleets.slice(index, index + 1).map((fleet) => ({ fleet, found: result })))
  const fits = tries.some(({ found: { best } }) => best.length > 0)
  const step = ({ found: { best, tight } }: SearchedFleet): number => (fits ? best : tight)[0]?.step_s ?? Infinity
  return tries.reduce((best, each) => (step(each) < step(best) ? each : best))
}

/** All devices, then ever rounder counts, none below the share that may stand by. */
export function fleetSizes(devices: number, perNode: number): readonly number[] {
  const counts = ROUND_NODES.map((nodes) => Math.floor(devices / (nodes * perNode)) * nodes * perNode)
  return [...new Set([devices, ...counts])].filter((count) => count >= (1 - MOST_SPARE) * devices)
}

type PlanChoice = {
  readonly wanted: TrainingPlanInputs & { readonly held?: number }
  readonly candidate: Candidate
  readonly limit: number
}

function plannedTraining(catalog: Catalog, machine: Machine, { wanted, candidate, limit }: PlanChoice): PlannedTraining {
  const { job, fleet, tokens } = wanted
  const { strategy } = candidate
  const step = stepTime({ machine, job }, strategy)
  const { low, high } = stepInterval({ machine, job }, strategy, step)
  const perStep = job.globalBatch * job.sequence
  const duration_s = (tokens / perStep) * step.total
  const economics = economicsOf(catalog, {
    accelerator: wanted.accelerator,
    devices: wanted.held ?? fleet.devices,
    duration: givenValue(duration_s, 's'),
    ...(wanted.price && { price: wanted.price }),
    ...(wanted.region !== undefined && { region: wanted.region }),
  })
  const flops = stepFlops(job, strategy)
  const { measured } = machine.silicon
  const device = acceleratorOf(catalog, wanted.accelerator)
  const peakFlops = peakOf(device, job.policy)?.value ?? quantity(Number.NaN, 'FLOP/s')
  const use = {
    peak: peakFlops,
    flops: flops.hardware / fleet.devices,
    memory_bytes: candidate.memory_bytes,
    device_bytes: limit,
  }
  const capacities = trainingCapacities({ machine, job }, strategy, { step, use })
  const utilization = (work: number): number =>
    mfu.of({ flops: quantity(work, 'FLOP'), devices: quantity(fleet.devices, '1'), peakFlops, stepTime: quantity(step.total, 's') })
  const content: Omit<TrainingPlan, 'id'> = {
    apiVersion: 'ironlaw/v1',
    kind: 'TrainingPlan',
    name: wanted.name,
    model: modelOf(wanted),
    tokens,
    sequence: job.sequence,
    globalBatch: job.globalBatch,
    fleet: {
      accelerator: device.id,
      devices: fleet.devices,
      perNode: fleet.perNode,
      ...(wanted.perHost !== undefined && wanted.perHost < fleet.perNode && { perHost: wanted.perHost }),
    },
    ...trainedAs(wanted),
    runtime: runtimeOf(machine.runtime),
    decision: { ...strategy, precision: job.policy.name },
    prediction: {
      step_s: step.total,
      step_low_s: low,
      step_high_s: high,
      tokens_per_s_per_device: perStep / step.total / fleet.devices,
      mfu: utilization(flops.model),
      hfu: utilization(flops.hardware),
      memory_bytes: candidate.memory_bytes,
      memory_limit_bytes: limit,
      memory_probability: fitProbabilityOf({ likely: candidate.memory_bytes, spread: candidate.spread_bytes }, limit),
      duration_s,
      ...(economics.cost && { cost_usd: economics.cost.value }),
      energy_j: economics.energy.value,
      ...(economics.carbon && { carbon_g: economics.carbon.value }),
      ...(economics.embodied && { embodied_g: economics.embodied.value }),
      causes_s: step.causes,
      capacities,
      ...(measured && { measured: { note: measured.note, corrections: measured.corrections } }),
    },
  }
  return { plan: { ...content, id: planId(content) }, candidate, step, economics }
}

/** How it is trained, where that is not the usual: all weights by Adam on the next token of whole documents. */
const trainedAs = ({
  job: { pairs, policy },
  packed,
}: TrainingPlanInputs): Pick<TrainingPlan, 'method' | 'packed' | 'optimizer' | 'lora'> => ({
  ...(pairs && { method: 'dpo' }),
  ...(packed !== undefined && { packed }),
  ...(policy.optimizer && { optimizer: policy.optimizer }),
  ...(policy.adapter && { lora: { rank: policy.adapter.rank, targets: policy.adapter.targets } }),
})

/** What a launcher must switch on or leave off for the prediction to hold. */
function runtimeOf({ name, tensorOverlap, gradientOverlap }: Machine['runtime']): PlanRuntime {
  return {
    name,
    overlapsTensor: tensorOverlap > 0,
    ...(gradientOverlap === 0 && { overlapsData: false }),
  }
}

type PlanRuntime = NonNullable<TrainingPlan['runtime']>

function modelOf({ model, job }: TrainingPlanInputs): TrainingPlan['model'] {
  const { architecture } = job
  const layers = architecture.groups.flatMap((group) => group.layers)
  const moe = layers.find((layer) => layer.kind === 'moe')
  const mlp = layers.find((layer) => layer.kind === 'mlp')
  const attention = layers.find((layer) => layer.kind === 'attention')
  const { heads, kvHeads } = divisionLimits(job)
  return {
    name: model,
    layers: architecture.layout.length,
    width: architecture.width,
    heads,
    kvHeads,
    inner: moe?.kind === 'moe' ? moe.inner : mlp?.kind === 'mlp' ? mlp.inner : 0,
    vocabulary: architecture.vocabulary,
    ...(moe?.kind === 'moe' && { experts: moe.experts, activeExperts: moe.active }),
    gated: moe?.kind === 'moe' ? moe.gated : mlp?.kind === 'mlp' ? mlp.gated : false,
    tied: architecture.tied,
    ...(attention?.kind === 'attention' && { headWidth: attention.headWidth }),
    modelType: architecture.modelType,
  }
}
