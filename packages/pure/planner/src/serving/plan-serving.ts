// From traffic and objectives to deployments: every kind of accelerator, precision and shape of replica is asked how many requests it takes
// within the objectives, in closed form. The best of each kind are simulated and sized until they hold; the price says which is best.

import { accelerator as acceleratorOf, type Catalog, peak } from '@ironlaw/catalog'
import type { ServingPlan } from '@ironlaw/contracts'
import { overfilled, overfilledText } from '../capacity.ts'
import { candidateLayouts } from './candidates.ts'
import { type CapacityRequest, type Capacity, decodeCapacity, prefillCapacity, sharedCapacity, type Unserved } from './capacity.ts'
import { measuredAccelerators } from './curves.ts'
import { ENGINE_RUNTIMES, type EngineRuntime } from './engine-runtime.ts'
import { fleetLimit } from './fleet-limit.ts'
import { confirmedSize, type FleetSize, fleetSize, suggestedSize } from './fleet-size.ts'
import { DEFAULT_PROBABILITY, endured, fleetTrials, type TrialOf } from './fleet-trial.ts'
import { type Floors, floorsOf } from './floors.ts'
import { firstTokenWithin, servingSpread } from './interval.ts'
import { prefillWork } from './steady-state.ts'
import { devicesOf, layoutText } from './layout.ts'
import { SERVING_PRECISIONS, type ServingPrecisionName, USUAL_PRECISIONS } from './precision.ts'
import { type QualityVerdict, qualityVerdicts } from './quality.ts'
import { type FrontPoint, servingFront } from './pareto.ts'
import { devicesOfPools, type PoolChoice } from './pool-choice.ts'
import { lengthsOf, poolCapacities } from './pool-load.ts'
import { preparedReplica, type PreparedReplica } from './prepared-replica.ts'
import { type ReplicaDesign, servingMachine } from './replica-design.ts'
import type { ServingPlanInputs } from './serving-inputs.ts'
import { fleetHour, servingPlan, withSpares } from './serving-plan.ts'
import { stepGain } from './speculation.ts'
import { transferTime } from './transfer.ts'
import { seconds, show, showPercent } from '@ironlaw/units'

export type RejectedLayout = { readonly accelerator: string; readonly precision: string; readonly layout: string; readonly reason: string }

export type PlannedServing = {
  /** Best first. */
  readonly plans: readonly ServingPlan[]
  readonly rejected: readonly RejectedLayout[]
  readonly tried: number
  /** Of the precisions to choose from, where the spec has a quality rule. */
  readonly quality: readonly QualityVerdict[]
  /** Where nothing serves: the objectives that physics forbids on the fastest replica tried, with their derivation. */
  readonly impossible?: { readonly floors: Floors; readonly on: string; readonly objectives: readonly ('ttft' | 'tpot')[] }
  /** Where nothing holds the objectives with the probability asked for: the plan that does with about the highest. */
  readonly closest?: ServingPlan
}

/** As many kinds of deployment as a person compares. */
const SHOWN = 5
/** Shapes of one kind that hold, of which the cheapest is taken: the closed form may take the third best for the best. */
const MOST_OF_KIND = 3
/** Shapes of one kind that are simulated at most, those that do not hold included. */
const MOST_TRIED = 8
const SEED = 1
const OTHER_SEEDS = [SEED + 1] as const

/** Plans of different kinds, each simulated with the traffic that it is for. */
export const planServing = (catalog: Catalog, wanted: ServingPlanInputs, shown = SHOWN): PlannedServing =>
  plannedServing(catalog, wanted, { shown, kinds: Math.max(SHOWN, shown) })

type Extent = { readonly shown: number; readonly kinds: number }

function plannedServing(catalog: Catalog, wanted: ServingPlanInputs, { shown, kinds }: Extent): PlannedServing {
  const { candidates, rejected, replicas } = candidatesFor(catalog, wanted)
  const costOf = (parts: readonly PoolChoice[], size: readonly number[]): number =>
    fleetCost(catalog, wanted, { parts, replicas: withSpares(wanted, size) })
  const cheapest = candidates
    .map((parts) => ({ parts, cost: costOf(parts, suggestedSize(parts, wanted)) }))
    .toSorted((a, b) => a.cost - b.cost)
  const found = sizedKinds(kindsOf(cheapest), wanted, { kinds, costOf })
  const { sized, likeliest } = found
  rejected.push(...found.failed)
  const impossible = sized.length > 0 ? undefined : impossibility(catalog, wanted, replicas)
  const closest = sized.length > 0 || impossible ? undefined : closestPlan(catalog, wanted, likeliest)
  return {
    plans: sized
      .toSorted((a, b) => a.cost - b.cost)
      .slice(0, shown)
      .map((fleet) => confirmed(fleet, wanted, costOf))
      .toSorted((a, b) => a.cost - b.cost)
      .map(({ parts, size, trialOf }, rank) =>
        servingPlan(catalog, wanted, { parts, size, limit: fleetLimit(parts, { ...wanted, size, roughly: rank > 0 }, trialOf) }),
      ),
    rejected,
    tried: replicas.length,
    quality: qualityVerdicts(catalog, wanted),
    ...(impossible && { impossible }),
    ...(closest && { closest }),
  }
}

type KindSearch = {
  /** Kinds that are wanted; up to twice as many are tried. */
  readonly kinds: number
  readonly costOf: (parts: readonly PoolChoice[], size: readonly number[]) => number
}

type SizedKinds = { readonly sized: readonly SizedFleet[]; readonly failed: readonly RejectedLayout[]; readonly likeliest: number }

/** Of each kind the cheapest fleet that holds the objectives, by simulation. */
function sizedKinds(of: readonly (readonly CostedFleet[])[], wanted: ServingPlanInputs, { kinds, costOf }: KindSearch): SizedKinds {
  const sized: SizedFleet[] = []
  const failed: RejectedLayout[] = []
  let likeliest = 0
  for (const kind of of.slice(0, 2 * kinds)) {
    const enough = sized.length >= kinds
    if (enough && !mayReplace(kind, sized)) continue
    const held: SizedFleet[] = []
    for (const { parts, cost } of kind.slice(0, MOST_TRIED)) {
      // Simulated fleets are seldom smaller than the closed form has them.
      if (held.length === (enough ? 1 : MOST_OF_KIND) || held.some((fleet) => cost >= fleet.cost)) break
      const trialOf = fleetTrials(parts, wanted, { maxRunning: wanted.maxRunning, seed: SEED })
      const size = fleetSize(parts, wanted, trialOf)
      if (size.ok) held.push({ parts, size, trialOf, cost: costOf(parts, size.replicas) })
      else {
        likeliest = Math.max(likeliest, size.probability)
        failed.push(...parts.slice(-1).map(({ option }) => rejection(option, size.reason)))
      }
    }
    sized.push(...held.toSorted((a, b) => a.cost - b.cost).slice(0, 1))
  }
  return { sized, failed, likeliest }
}

/** With as many as are shown, only another accelerator that may be cheaper than the dearest of them is worth a simulation. */
function mayReplace([first]: readonly CostedFleet[], sized: readonly SizedFleet[]): boolean {
  if (!first) return false
  const machineOf = ({ parts }: CostedFleet): unknown => parts[0]?.option.replica.machine
  return sized.every((each) => machineOf(each) !== machineOf(first)) && sized.some(({ cost }) => cost > first.cost)
}

function confirmed(fleet: SizedFleet, wanted: ServingPlanInputs, costOf: KindSearch['costOf']): SizedFleet {
  const { parts, trialOf } = fleet
  const others = OTHER_SEEDS.map((seed) => fleetTrials(parts, wanted, { maxRunning: wanted.maxRunning, seed }))
  const size = confirmedSize(fleet.size, wanted, { trialOf, others })
  return { ...fleet, size, cost: costOf(parts, size.replicas) }
}

/** Where nothing holds the objectives with the probability asked for: what holds them nearly as likely as an idle replica. */
function closestPlan(catalog: Catalog, wanted: ServingPlanInputs, likeliest: number): ServingPlan | undefined {
  const probability = Math.max(EVEN_ODDS, Math.floor(100 * likeliest - 5) / 100)
  if (probability >= (wanted.objectives.probability ?? DEFAULT_PROBABILITY)) return undefined
  const { plans, closest } = plannedServing(
    catalog,
    { ...wanted, objectives: { ...wanted.objectives, probability } },
    { shown: 1, kinds: 2 },
  )
  return plans[0] ?? closest
}

const EVEN_ODDS = 0.5

type SizedFleet = CostedFleet & { readonly size: FleetSize; readonly trialOf: TrialOf }

/** What is minimized, and devices where prices are equal or not known. */
function fleetCost(catalog: Catalog, wanted: ServingPlanInputs, fleet: Parameters<typeof fleetHour>[2]): number {
  const devices = devicesOfPools(fleet.parts, fleet.replicas)
  if (wanted.goal === 'devices') return devices
  return (fleetHour(catalog, wanted, fleet).cost?.value ?? UNPRICED) + devices * 1e-6
}

/** After all that have a price. */
const UNPRICED = 1e9

/** What people choose among: the accelerator, and how replicas are divided. */
function kindOf(parts: readonly PoolChoice[]): string {
  const [first] = parts
  if (!first) throw new Error('a fleet needs a pool')
  const { layout, machine } = first.option.replica
  const family =
    parts.length > 1
      ? 'separate pools'
      : layout.data > 1
        ? 'copies'
        : layout.expert > 1
          ? 'experts'
          : layout.pipeline > 1
            ? 'stages'
            : 'tensor'
  return `${machine.accelerator} ${family}`
}

type CostedFleet = { readonly parts: readonly PoolChoice[]; readonly cost: number }

/** Of sorted fleets: the first kind on each accelerator, then others. */
function kindsOf(sorted: readonly CostedFleet[]): readonly (readonly CostedFleet[])[] {
  const kinds = [...Map.groupBy(sorted, ({ parts }) => kindOf(parts)).values()]
  const isLeader = (kind: readonly CostedFleet[], at: number): boolean =>
    kinds.findIndex(([first]) => first?.parts[0]?.option.replica.machine === kind[0]?.parts[0]?.option.replica.machine) === at
  return [...kinds.filter(isLeader), ...kinds.filter((kind, at) => !isLeader(kind, at))]
}

type Candidates = {
  readonly candidates: readonly (readonly PoolChoice[])[]
  readonly rejected: RejectedLayout[]
  readonly replicas: readonly ReplicaDesign[]
}

/** What the closed form, which knows lengths by their means, finds to serve within the objectives. */
function candidatesFor(catalog: Catalog, wanted: ServingPlanInputs): Candidates {
  const { replicas, left } = replicasOf(catalog, wanted)
  const rejected: RejectedLayout[] = [...left]
  const candidates: (readonly PoolChoice[])[] = []
  const take = (parts: readonly PoolChoice[]): void => {
    const [first] = parts
    const beyond = overfilledPool(wanted, parts)
    if (beyond === undefined) candidates.push(parts)
    else if (first) rejected.push(rejection(first.option, beyond))
  }
  for (const shapes of Map.groupBy(replicas, ({ machine, precision }) => `${machine.accelerator} ${precision.name}`).values()) {
    const options = shapes.map(preparedReplica)
    if (wanted.disaggregated !== 'only')
      for (const option of options) {
        const capacity = sharedCapacity(option, capacityRequest(wanted, option))
        if (capacity.ok && capacity.requests_per_s > 0) take([{ role: 'all', option, capacity }])
        else rejected.push(rejection(option, capacity.ok ? NO_RATE : unservedText(wanted, option, capacity)))
      }
    if (wanted.disaggregated === 'never') continue
    const undivided = undividedText(wanted)
    const { parts, unserved } = undivided === undefined ? disaggregatedPools(wanted, options) : UNDIVIDED
    if (parts) take(parts)
    if (wanted.disaggregated === 'only')
      rejected.push(...(undivided === undefined ? unserved : options.map((option) => rejection(option, undivided))))
  }
  return { candidates, rejected, replicas }
}

/** The front over every shape that was wanted. */
export const servingFrontFor = (catalog: Catalog, wanted: ServingPlanInputs): readonly FrontPoint[] =>
  servingFront(replicasOf(catalog, wanted).replicas.map(preparedReplica), {
    input: wanted.traffic.input_tokens,
    output: wanted.traffic.output_tokens,
  })

/** An answer of one token has no time per further token. */
const answersAtOnce = ({ traffic }: ServingPlanInputs): boolean => traffic.output_tokens <= 1

/** Why prompts have no replicas of their own, if so. */
function undividedText(wanted: ServingPlanInputs): string | undefined {
  if (isSingle(wanted)) return `${wanted.engine} does not separate prefill from decode`
  if (answersAtOnce(wanted)) return 'answers of one token leave nothing to decode'
  return wanted.offload ? 'tiers of the cache are planned for replicas that do prompts and tokens' : undefined
}

const isSingle = ({ engine }: ServingPlanInputs): boolean => 'single' in ENGINE_RUNTIMES[engine]

/** With objectives as much shorter as the prediction may be off, and without what passes outside the engine. */
function capacityRequest(wanted: ServingPlanInputs, { replica, step }: PreparedReplica): CapacityRequest {
  const { objectives } = wanted
  const z = endured(objectives)
  const lengths = lengthsOf(wanted)
  const prompt_s = step.time(prefillWork(lengths.input, 1, lengths.cached))
  return {
    ...lengths,
    objectives: {
      ...objectives,
      ttft_s: firstTokenWithin(replica, { objective_s: objectives.ttft_s, prompt_s, z }) - replica.runtime.client_s,
      tpot_s: answersAtOnce(wanted) ? Infinity : objectives.tpot_s / Math.exp(z * servingSpread(replica, 'tpot_s')),
    },
  }
}

/** As users would feel it, against what holds the objective when the prediction is off. */
function unservedText(wanted: ServingPlanInputs, option: PreparedReplica, unserved: Unserved): string {
  if ('reason' in unserved) return unserved.reason
  const { objective, takes_s } = unserved.missed
  const { probability = DEFAULT_PROBABILITY } = wanted.objectives
  const time = (value: number): string => show(seconds(value), 's')
  const [metric, outside_s] = objective === 'ttft' ? (['ttft_s', option.replica.runtime.client_s] as const) : (['tpot_s', 0] as const)
  const allowed_s = capacityRequest(wanted, option).objectives[metric] + outside_s
  return `even when idle, ${objective.toUpperCase()} is ${time(takes_s + outside_s)}; to hold ${time(wanted.objectives[metric])} with ${showPercent(probability, 0)} probability it may be ${time(allowed_s)}`
}

const rejection = ({ replica: { machine, precision, layout } }: PreparedReplica, reason: string): RejectedLayout => ({
  accelerator: machine.accelerator,
  precision: precision.name,
  layout: layoutText(layout),
  reason,
})

/** Precisions to choose from, without those that are not shown to be within the margin of the quality rule. */
function keptPrecisions(
  catalog: Catalog,
  wanted: ServingPlanInputs,
): { readonly kept: readonly ServingPrecisionName[]; readonly left: RejectedLayout[] } {
  const refused = new Map(
    qualityVerdicts(catalog, wanted).flatMap(({ precision, refused: why }) => (why ? [[precision, why] as const] : [])),
  )
  return {
    kept: (wanted.precisions ?? USUAL_PRECISIONS).filter((precision) => !refused.has(precision)),
    left: [...refused].map(([precision, reason]) => ({ accelerator: '', precision, layout: '', reason: `quality: ${reason}` })),
  }
}

function replicasOf(
  catalog: Catalog,
  wanted: ServingPlanInputs,
): { readonly replicas: readonly ReplicaDesign[]; readonly left: readonly RejectedLayout[] } {
  const { kept, left } = keptPrecisions(catalog, wanted)
  const runtime: EngineRuntime = ENGINE_RUNTIMES[wanted.engine]
  const { single } = runtime
  const replicas = (wanted.accelerators ?? measuredAccelerators).flatMap((name) => {
    const device = acceleratorOf(catalog, name)
    const machine = servingMachine(catalog, { accelerator: device.id })
    return kept.flatMap((precision) => {
      if (precision.startsWith('fp8') && !peak(device, 'fp8')) {
        left.push({ accelerator: device.id, precision, layout: '', reason: 'the device has no 8-bit floats' })
        return []
      }
      if (single && !single.loads.includes(precision)) {
        left.push({ accelerator: device.id, precision, layout: '', reason: `${runtime.name} loads ${single.loads.join(', ')}` })
        return []
      }
      const layouts = candidateLayouts(wanted.architecture, machine.fabric.perNode, wanted.layout)
      const taken = single ? layouts.filter((layout) => devicesOf(layout) === 1) : layouts
      if (taken.length === 0)
        left.push({ accelerator: device.id, precision, layout: '', reason: `${runtime.name} serves a replica from one device` })
      return taken.map((layout): ReplicaDesign => ({
        architecture: wanted.architecture,
        machine,
        precision: SERVING_PRECISIONS[precision],
        cache: wanted.cache,
        runtime,
        layout,
        ...(wanted.speculation && { speculation: wanted.speculation }),
        ...(wanted.adapters && { adapters: wanted.adapters }),
        ...(wanted.offload && { offload: wanted.offload }),
      }))
    })
  })
  return { replicas, left }
}

type DividedPools = {
  /** Undefined when either pool finds no shape. */
  readonly parts: readonly PoolChoice[] | undefined
  /** Where so: why no shape serves, of the pool that finds none. */
  readonly unserved: readonly RejectedLayout[]
}

const UNDIVIDED: DividedPools = { parts: undefined, unserved: [] }

/** The best shape for prompts and the best for decoding, of one kind and precision. */
function disaggregatedPools(wanted: ServingPlanInputs, options: readonly PreparedReplica[]): DividedPools {
  const unserved: RejectedLayout[] = []
  const best = (role: 'prefill' | 'decode', of: (option: PreparedReplica) => Capacity): PoolChoice | undefined => {
    const found = options.map((option) => ({ role, option, capacity: of(option) }))
    const serving = found.flatMap(({ capacity, ...rest }): PoolChoice[] =>
      capacity.ok && capacity.requests_per_s > 0 ? [{ ...rest, capacity }] : [],
    )
    if (serving.length === 0)
      for (const { option, capacity } of found)
        unserved.push(rejection(option, `${role}: ${capacity.ok ? NO_RATE : unservedText(wanted, option, capacity)}`))
    return serving.toSorted((a, b) => devicesFor(wanted, a) - devicesFor(wanted, b) || perDevice(b) - perDevice(a))[0]
  }
  const prompts = best('prefill', (option) =>
    prefillCapacity(option, capacityRequest(wanted, option), transferTime(option.replica, wanted.traffic.input_tokens)),
  )
  const tokens = best('decode', (option) => decodeCapacity(option, capacityRequest(wanted, option)))
  return { parts: prompts && tokens && [prompts, tokens], unserved }
}

const NO_RATE = 'no rate meets the objectives'

/** A wide replica serves more per device and may be far more than the traffic needs. */
const devicesFor = ({ traffic, spare }: ServingPlanInputs, { option, capacity }: PoolChoice): number =>
  (Math.ceil(traffic.requests_per_s / capacity.requests_per_s) + spare) * devicesOf(option.replica.layout)

const perDevice = ({ option, capacity }: PoolChoice): number => capacity.requests_per_s / devicesOf(option.replica.layout)

/** Which resource the parts of a plan would use beyond what a device has, if any. */
function overfilledPool(wanted: ServingPlanInputs, parts: readonly PoolChoice[]): string | undefined {
  const beyond = parts.flatMap((part) => overfilled(poolCapacities(wanted, part, part.capacity)) ?? [])[0]
  return beyond && overfilledText(beyond)
}

/** Whether physics forbids an objective: no replica tried could meet it at the full rates of its memory and arithmetic. */
function impossibility(catalog: Catalog, wanted: ServingPlanInputs, replicas: readonly ReplicaDesign[]): PlannedServing['impossible'] {
  const { objectives, traffic } = wanted
  const tokens = traffic.input_tokens * (1 - traffic.cachedPrompt)
  const each = replicas.map((replica) => ({ replica, floors: floorsOf(catalog, replica, tokens) }))
  const least = (name: 'ttft' | 'tpot') => each.toSorted((a, b) => a.floors[name].value - b.floors[name].value)[0]
  const [first, next] = [least('ttft'), least('tpot')]
  const broken = [
    ...(first && first.floors.ttft.value > objectives.ttft_s ? (['ttft'] as const) : []),
    ...(next && !answersAtOnce(wanted) && next.floors.tpot.value > objectives.tpot_s * stepGain(wanted.speculation)
      ? (['tpot'] as const)
      : []),
  ]
  const shown = broken[0] === 'tpot' ? next : first
  if (!shown || broken.length === 0) return undefined
  const { machine, precision, layout } = shown.replica
  return { floors: shown.floors, on: `${machine.accelerator}, ${precision.name}, ${layoutText(layout)}`, objectives: broken }
}
