// Engines and trainer as one plan: both placements, and for separate sides every sensible division of the fleet, each planned in full; the
// shortest step first.

import { accelerator as acceleratorOf, type Catalog } from '@ironlaw/catalog'
import { type Capacity, IronlawError, type RlPlan } from '@ironlaw/contracts'
import type { RlSpec } from '@ironlaw/contracts/rl-spec'
import { parameterCounts } from '@ironlaw/models'
import { counted, givenValue } from '@ironlaw/units'
import { capacityOf, overfilled } from '../capacity.ts'
import { economicsOf } from '../economics.ts'
import { meanLength } from '../lengths.ts'
import { servingInterval } from '../serving/interval.ts'
import { decodesTokens, type NamedModel } from '../training/request/training-request.ts'
import { bestGeneration, engineShapes, type Generation } from './generation.ts'
import { rlWork, type RlWork, type Trainer, trainerOn } from './trainer.ts'
import { refuseSizes } from './rl-sizes.ts'
import { rangeOfLonger, rangeOfSum } from './step-range.ts'
import { syncTime } from './weight-sync.ts'

export type RlRequest = { readonly spec: RlSpec; readonly model: NamedModel }

export type PlannedRl = {
  /** Shortest step first, one per placement and division of the fleet. */
  readonly plans: readonly RlPlan[]
  /** Why placements and divisions are out. */
  readonly rejected: readonly string[]
  readonly warnings: readonly string[]
}

type Division = { readonly placement: RlPlan['placement']; readonly generation: number; readonly trainer: number }

/** Parts of the fleet that are tried for the side that generates. */
const EIGHTHS = [1, 2, 3, 4, 5, 6, 7]

export function planRl(catalog: Catalog, request: RlRequest): PlannedRl {
  const { spec, model } = request
  if (!decodesTokens(model.architecture))
    throw new IronlawError('IL_SPEC', {
      file: spec.name,
      path: 'model',
      problem: `${model.name} does not decode tokens, so it generates no answers`,
    })
  const trainers = new Map<number, Trainer | undefined>()
  const trainerFor = (devices: number): Trainer | undefined => {
    if (!trainers.has(devices)) trainers.set(devices, trainerOn(catalog, request, devices))
    return trainers.get(devices)
  }
  const work = rlWork(spec)
  refuseSizes(spec, model, work)
  const rejected: string[] = []
  const plans: RlPlan[] = []
  const warnings = new Set<string>()
  for (const division of divisionsOf(spec, perNodeOf(trainerFor(spec.fleet.count), spec))) {
    const trainer = trainerFor(division.trainer)
    if (!trainer) {
      rejected.push(`${divisionText(division)}: nothing that the trainer tries fits on ${counted(division.trainer, 'device')}`)
      continue
    }
    trainer.request.warnings.forEach((warning) => warnings.add(warning))
    const plan = plannedDivision(catalog, request, { division, trainer, work })
    if (!plan) rejected.push(`${divisionText(division)}: no engine holds the model and an answer beside what else is on the device`)
    else if (overfilled(plan.generation.capacities)) rejected.push(`${divisionText(division)}: it would use more of a device than there is`)
    else plans.push(plan)
  }
  return { plans: plans.toSorted((a, b) => a.step_s - b.step_s), rejected, warnings: [...warnings] }
}

/** Where the trainer does not fit on all devices, the catalog's usual eight. */
const perNodeOf = (trainer: Trainer | undefined, { fleet }: RlSpec): number =>
  trainer?.request.wanted.fleet.perNode ?? Math.min(fleet.perNode ?? 8, fleet.count)

const divisionText = ({ placement, generation, trainer }: Division): string =>
  placement === 'colocated' ? `colocated on ${trainer}` : `${generation} to generate and ${trainer} to learn`

function divisionsOf({ placement, staleness, fleet: { count }, generation }: RlSpec, perNode: number): readonly Division[] {
  const unit = count >= EIGHTHS.length * perNode ? perNode : 1
  const sizes =
    generation.devices === undefined ? EIGHTHS.map((part) => Math.round((count / unit) * (part / 8)) * unit) : [generation.devices]
  const separate = [...new Set(sizes)].flatMap((size): Division[] =>
    size >= 1 && size < count ? [{ placement: 'separate', generation: size, trainer: count - size }] : [],
  )
  const together: Division[] = [{ placement: 'colocated', generation: count, trainer: count }]
  if (placement !== undefined) return placement === 'colocated' ? together : separate
  return staleness === 0 && generation.devices === undefined ? [...together, ...separate] : separate
}

type DivisionInputs = { readonly division: Division; readonly trainer: Trainer; readonly work: RlWork }

function plannedDivision(catalog: Catalog, { spec, model }: RlRequest, { division, trainer, work }: DivisionInputs): RlPlan | undefined {
  const { machine, wanted } = trainer.request
  const { fabric } = machine
  const shapes = engineShapes(
    catalog,
    { architecture: model.architecture, spec },
    { accelerator: wanted.accelerator, perNode: fabric.perNode, portBandwidth: fabric.portBandwidth },
  )
  const generating = (taken_bytes: number): Generation | undefined =>
    bestGeneration(shapes, { spec, work, devices: division.generation, taken_bytes })
  const beside = division.placement === 'colocated' ? generating(trainer.state_bytes) : undefined
  // States that leave no room for the cache go to the host while engines generate, and come back.
  const moved = division.placement === 'colocated' ? (2 * trainer.state_bytes) / machine.host.linkBandwidth : 0
  const alone = generating(0)
  const stays = beside !== undefined && (alone === undefined || beside.time.total_s <= alone.time.total_s + moved)
  const generation = stays ? beside : alone
  if (!generation) return undefined
  const sync_s = syncTime(fabric, { bytes: generation.replica.memory.weights_bytes, devices: spec.fleet.count })
  return rlPlan(catalog, spec, { division, trainer, work, generation, sync_s, handover_s: stays ? 0 : moved })
}

type PlanParts = DivisionInputs & { readonly generation: Generation; readonly sync_s: number; readonly handover_s: number }

function rlPlan(catalog: Catalog, spec: RlSpec, parts: PlanParts): RlPlan {
  const { division, trainer, work, generation, sync_s, handover_s } = parts
  const { plan } = trainer.planned
  const generate_s = generation.time.total_s
  const learn_s = trainer.score_s + trainer.update_s
  const atOnce = division.placement === 'separate' && spec.staleness > 0
  const { step_s: update, step_low_s, step_high_s } = plan.prediction
  const generating = { value: generate_s, ...servingInterval(generation.replica.replica, 'output_tokens_per_s', generate_s) }
  const learning = { value: learn_s, low: (learn_s * step_low_s) / update, high: (learn_s * step_high_s) / update }
  const both = atOnce ? rangeOfLonger(generating, learning) : rangeOfSum(generating, learning)
  const moved_s = sync_s + handover_s
  const step_s = both.value + moved_s
  const duration_s = spec.steps * step_s
  const { cost } = economicsOf(catalog, {
    accelerator: trainer.request.wanted.accelerator,
    devices: spec.fleet.count,
    duration: givenValue(duration_s, 's'),
    ...(trainer.request.wanted.price && { price: trainer.request.wanted.price }),
  })
  return {
    apiVersion: 'ironlaw/v1',
    kind: 'RLPlan',
    name: spec.name,
    algorithm: spec.algorithm,
    placement: division.placement,
    staleness: spec.staleness,
    bottleneck: generate_s > learn_s ? 'generation' : 'trainer',
    generation: generationPlan(catalog, spec, { ...parts, step_s }),
    trainer: plan,
    updates: work.updates,
    step_s,
    step_low_s: both.low + moved_s,
    step_high_s: both.high + moved_s,
    generate_s,
    score_s: trainer.score_s,
    update_s: trainer.update_s,
    sync_s,
    handover_s,
    tokens_per_s_per_device: (work.requests * work.tokens) / step_s / spec.fleet.count,
    duration_s,
    ...(cost && { cost_usd: cost.value }),
  }
}

function generationPlan(
  catalog: Catalog,
  spec: RlSpec,
  { generation, work, ...rest }: PlanParts & { readonly step_s: number },
): RlPlan['generation'] {
  const { replica, devices, replicas, requests, time } = generation
  const { layout } = replica.replica
  return {
    engine: spec.generation.engine,
    devices,
    replicas,
    tensor: layout.tensor,
    data: layout.data,
    expert: layout.expert,
    answersPerReplica: requests,
    atOnce: time.atOnce,
    tokens_per_s_per_device: (work.requests * meanLength(work.answers)) / time.total_s / devices,
    tail_s: time.tail_s,
    capacities: generationCapacities(catalog, spec, { generation, work, ...rest }),
  }
}

/** Averaged over a step, waiting included. Of what decoding reads, the weights alone: a lower bound. */
function generationCapacities(
  catalog: Catalog,
  { promptTokens, samples, fleet }: RlSpec,
  { generation: { replica, devices, time }, work, step_s }: PlanParts & { readonly step_s: number },
): readonly Capacity[] {
  const { machine, architecture } = replica.replica
  const { memory } = replica
  const tokens = work.requests * (meanLength(work.answers) + promptTokens / samples)
  const flops = (2 * parameterCounts(architecture).activeComputing * tokens) / devices
  const used = memory.weights_bytes + memory.working_bytes + Math.min(memory.cache_bytes, time.atOnce * work.tokens * memory.token_bytes)
  const total = acceleratorOf(catalog, fleet.accelerator).facts.memory.capacity.value
  return [
    capacityOf('arithmetic', flops / step_s / machine.peaks.bf16, machine.peaks.bf16),
    capacityOf('memory bandwidth', (time.steps * memory.weights_bytes) / step_s / machine.bandwidth, machine.bandwidth),
    capacityOf('memory', used / total, total),
    capacityOf('port', memory.weights_bytes / step_s / machine.fabric.portBandwidth, machine.fabric.portBandwidth),
  ]
}
