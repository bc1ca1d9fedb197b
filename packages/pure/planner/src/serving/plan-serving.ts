// From traffic and objectives to deployments: every kind of accelerator, precision and shape of replica is asked how many requests it takes
// within the objectives; the peak then says how many replicas, the price which is best.

import { accelerator as acceleratorOf, type Catalog, peak } from '@ironlaw/catalog'
import { ENGINE_STEP_CAUSES, type Resource, type ServingPlan, servingPlanId, type ServingPool } from '@ironlaw/contracts'
import type { Architecture } from '@ironlaw/models'
import { givenValue, HOUR, type Known } from '@ironlaw/units'
import { overfilled, overfilledText } from '../capacity.ts'
import { economicsOf } from '../economics.ts'
import type { CacheTiers } from './cache-tiers.ts'
import { candidateLayouts, type FixedLayout } from './candidates.ts'
import { type CapacityRequest, type Capacity, decodeCapacity, prefillCapacity, sharedCapacity } from './capacity.ts'
import { servingCapacities } from './capacities.ts'
import { measuredAccelerators } from './curves.ts'
import { ENGINE_RUNTIMES, type EngineName, type EngineRuntime } from './engine-runtime.ts'
import { type Floors, floorsOf } from './floors.ts'
import { servingInterval } from './interval.ts'
import { devicesOf, layoutText } from './layout.ts'
import { type CachePrecision, SERVING_PRECISIONS, type ServingPrecisionName } from './precision.ts'
import type { Adapters, Offload, Speculation } from './mechanisms.ts'
import { type FrontPoint, servingFront } from './pareto.ts'
import { preparedReplica, type PreparedReplica } from './prepared-replica.ts'
import { type ReplicaDesign, servingMachine } from './replica-design.ts'
import { predictionLayers, stepGain } from './speculation.ts'
import { decodeWork } from './steady-state.ts'
import { expertPlacement } from './token-time.ts'
import { transferTime } from './transfer.ts'

export type ServingPlanInputs = {
  readonly name: string
  readonly model: string
  readonly architecture: Architecture
  readonly traffic: ServingPlan['traffic']
  readonly objectives: ServingPlan['objectives']
  /** All measured ones when absent. */
  readonly accelerators?: readonly string[]
  readonly engine: EngineName
  readonly precisions?: readonly ServingPrecisionName[]
  readonly cache: CachePrecision
  readonly spare: number
  readonly goal: 'cost' | 'devices'
  readonly disaggregated: 'allowed' | 'never' | 'only'
  readonly price?: Known<'USD/s'>
  readonly layout?: FixedLayout
  readonly speculation?: Speculation
  readonly adapters?: Adapters
  readonly offload?: Offload
}

export type RejectedLayout = { readonly accelerator: string; readonly precision: string; readonly layout: string; readonly reason: string }

export type PlannedServing = {
  /** Best first. */
  readonly plans: readonly ServingPlan[]
  readonly rejected: readonly RejectedLayout[]
  readonly tried: number
  /** Where nothing serves: the objectives that physics forbids on the fastest replica tried, with their derivation. */
  readonly impossible?: { readonly floors: Floors; readonly on: string; readonly objectives: readonly ('ttft' | 'tpot')[] }
}

export function planServing(catalog: Catalog, wanted: ServingPlanInputs): PlannedServing {
  const rejected: RejectedLayout[] = []
  const plans: ServingPlan[] = []
  const { replicas, left } = replicasOf(catalog, wanted)
  rejected.push(...left)
  for (const shapes of Map.groupBy(replicas, ({ machine, precision }) => `${machine.accelerator} ${precision.name}`).values()) {
    const options = shapes.map(preparedReplica)
    if (wanted.disaggregated !== 'only')
      for (const option of options) {
        const capacity = sharedCapacity(option, capacityRequest(wanted))
        if (!capacity.ok || capacity.requests_per_s === 0) {
          rejected.push(rejection(option, capacity.ok ? 'no rate meets the objectives' : capacity.reason))
          continue
        }
        const parts: readonly PoolChoice[] = [{ role: 'all', option, capacity }]
        const beyond = overfilledPool(wanted, parts)
        if (beyond === undefined) plans.push(planOf(catalog, wanted, parts))
        else rejected.push(rejection(option, beyond))
      }
    if (wanted.disaggregated === 'only' && isSingle(wanted))
      rejected.push(...options.map((option) => rejection(option, `${wanted.engine} does not separate prefill from decode`)))
    // Tiers are planned for replicas that do prompts and tokens.
    if (wanted.disaggregated !== 'never' && !isSingle(wanted) && !wanted.offload) {
      const parted = disaggregatedPools(wanted, options)
      const beyond = parted && overfilledPool(wanted, parted)
      if (parted && beyond === undefined) plans.push(planOf(catalog, wanted, parted))
      else if (parted?.[0] && beyond !== undefined) rejected.push(rejection(parted[0].option, beyond))
    }
  }
  const measure = ({ prediction, devices }: ServingPlan): number =>
    wanted.goal === 'devices' ? devices : (prediction.usd_per_hour ?? Number.MAX_SAFE_INTEGER)
  const impossible = plans.length > 0 ? undefined : impossibility(catalog, wanted, replicas)
  return {
    plans: plans.toSorted((a, b) => measure(a) - measure(b) || a.devices - b.devices || a.prediction.tpot_s - b.prediction.tpot_s),
    rejected,
    tried: replicas.length,
    ...(impossible && { impossible }),
  }
}

/** The front over every shape that was wanted. */
export const servingFrontFor = (catalog: Catalog, wanted: ServingPlanInputs): readonly FrontPoint[] =>
  servingFront(replicasOf(catalog, wanted).replicas.map(preparedReplica), {
    input: wanted.traffic.input_tokens,
    output: wanted.traffic.output_tokens,
  })

const isSingle = ({ engine }: ServingPlanInputs): boolean => 'single' in ENGINE_RUNTIMES[engine]

const capacityRequest = ({ traffic, objectives }: ServingPlanInputs): CapacityRequest => ({
  input: traffic.input_tokens,
  output: traffic.output_tokens,
  cached: traffic.cachedPrompt,
  objectives,
})

const rejection = ({ replica: { machine, precision, layout } }: PreparedReplica, reason: string): RejectedLayout => ({
  accelerator: machine.accelerator,
  precision: precision.name,
  layout: layoutText(layout),
  reason,
})

const USUAL_PRECISIONS: readonly ServingPrecisionName[] = ['bf16', 'fp8']

function replicasOf(
  catalog: Catalog,
  wanted: ServingPlanInputs,
): { readonly replicas: readonly ReplicaDesign[]; readonly left: readonly RejectedLayout[] } {
  const left: RejectedLayout[] = []
  const runtime: EngineRuntime = ENGINE_RUNTIMES[wanted.engine]
  const { single } = runtime
  const replicas = (wanted.accelerators ?? measuredAccelerators).flatMap((name) => {
    const device = acceleratorOf(catalog, name)
    const machine = servingMachine(catalog, { accelerator: device.id })
    return (wanted.precisions ?? USUAL_PRECISIONS).flatMap((precision) => {
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

type FeasibleCapacity = Extract<Capacity, { ok: true }>
type PoolChoice = { readonly role: ServingPool['role']; readonly option: PreparedReplica; readonly capacity: FeasibleCapacity }

/** The best shape for prompts and the best for decoding, of one kind and precision; undefined when either finds none. */
function disaggregatedPools(wanted: ServingPlanInputs, options: readonly PreparedReplica[]): readonly PoolChoice[] | undefined {
  const asked = capacityRequest(wanted)
  const best = (role: 'prefill' | 'decode', of: (option: PreparedReplica) => Capacity): PoolChoice | undefined =>
    options
      .flatMap((option): PoolChoice[] => {
        const capacity = of(option)
        return capacity.ok && capacity.requests_per_s > 0 ? [{ role, option, capacity }] : []
      })
      .toSorted((a, b) => devicesFor(wanted, a) - devicesFor(wanted, b) || perDevice(b) - perDevice(a))[0]
  const prompts = best('prefill', (option) => prefillCapacity(option, asked, transferTime(option.replica, asked.input)))
  const tokens = best('decode', (option) => decodeCapacity(option, asked))
  return prompts && tokens ? [prompts, tokens] : undefined
}

/** A wide replica serves more per device and may be far more than the traffic needs. */
const devicesFor = ({ traffic, spare }: ServingPlanInputs, { option, capacity }: PoolChoice): number =>
  (Math.ceil(traffic.requests_per_s / capacity.requests_per_s) + spare) * devicesOf(option.replica.layout)

const perDevice = ({ option, capacity }: PoolChoice): number => capacity.requests_per_s / devicesOf(option.replica.layout)

function planOf(catalog: Catalog, wanted: ServingPlanInputs, parts: readonly PoolChoice[]): ServingPlan {
  const [first] = parts
  const last = parts.at(-1)
  if (!first || !last) throw new Error('a plan needs a pool')
  const { traffic, objectives } = wanted
  const { replica, step, memory } = last.option
  const pools = parts.map((part) => poolOf(wanted, part))
  const devices = pools.reduce((sum, pool) => sum + pool.replicas * pool.devicesPerReplica, 0)
  const hour = economicsOf(catalog, {
    accelerator: replica.machine.accelerator,
    devices,
    duration: givenValue(HOUR, 's'),
    ...(wanted.price && { price: wanted.price }),
  })
  const tokensPerHour = traffic.requests_per_s * traffic.output_tokens * HOUR
  const context = traffic.input_tokens + traffic.output_tokens / 2
  const tpot = last.capacity.tpot_s
  const { low, high } = servingInterval(replica, 'tpot_s', tpot)
  const explained = step.explained(decodeWork(Math.max(1, last.capacity.decoding / replica.layout.pipeline), context))
  const content: Omit<ServingPlan, 'id'> = {
    apiVersion: 'ironlaw/v1',
    kind: 'ServingPlan',
    name: wanted.name,
    model: {
      name: wanted.model,
      ...(wanted.architecture.longestContext !== undefined && { longestContext: wanted.architecture.longestContext }),
      ...(wanted.speculation && { predictionLayers: predictionLayers(wanted.architecture) }),
    },
    engine: wanted.engine,
    accelerator: replica.machine.accelerator,
    devicesPerNode: replica.machine.perHost,
    precision: replica.precision.name,
    cache: replica.cache,
    ...(wanted.speculation && { speculation: speculationIn(wanted.speculation) }),
    ...(wanted.adapters && { adapters: wanted.adapters }),
    ...(wanted.offload && { offload: wanted.offload }),
    pools,
    devices,
    spare: wanted.spare,
    traffic,
    objectives,
    prediction: {
      ttft_s: first.capacity.ttft_s,
      tpot_s: tpot,
      tpot_low_s: low,
      tpot_high_s: high,
      replica_requests_per_s: last.capacity.requests_per_s,
      capacity_requests_per_s: Math.min(
        ...parts.map(({ capacity }, index) => capacity.requests_per_s * ((pools[index]?.replicas ?? 0) - wanted.spare)),
      ),
      output_tokens_per_s_per_device: (traffic.requests_per_s * traffic.output_tokens) / devices,
      decoding: last.capacity.decoding,
      memoryBandwidthUtilization: shareOf(pools.at(-1), 'memory bandwidth'),
      flopsUtilization: shareOf(pools.at(-1), 'arithmetic'),
      weights_bytes: memory.weights_bytes,
      cache_tokens: memory.tokens,
      binding: last.capacity.binding,
      ...(hour.cost && { usd_per_hour: hour.cost.value, usd_per_million_tokens: (hour.cost.value / tokensPerHour) * 1e6 }),
      joules_per_token: hour.energy.value / tokensPerHour,
      step_s: Object.fromEntries(
        ENGINE_STEP_CAUSES.flatMap((cause) => (cause === 'draft' && !wanted.speculation ? [] : [[cause, explained[cause]]])),
      ),
    },
  }
  return { ...content, id: servingPlanId(content) }
}

const speculationIn = ({ method, drafted, acceptance, draft }: Speculation): NonNullable<ServingPlan['speculation']> => ({
  method,
  drafted,
  acceptance,
  ...(draft && { model: draft.name }),
})

const tiersIn = ({ cached, device, host, drive, load_s }: CacheTiers): NonNullable<ServingPool['tiers']> => ({
  cached,
  device,
  host,
  drive,
  load_s,
})

function poolOf(wanted: ServingPlanInputs, { role, option, capacity }: PoolChoice): ServingPool {
  const { layout, runtime } = option.replica
  const { requests_per_s, decoding, tiers } = capacity
  const asked = capacityRequest(wanted)
  const experts = expertPlacement(option.replica, role === 'decode' ? decoding / layout.data : runtime.tokensPerStep)
  return {
    role,
    replicas: Math.ceil(wanted.traffic.requests_per_s / requests_per_s) + wanted.spare,
    layout,
    devicesPerReplica: devicesOf(layout),
    ...(experts && { experts }),
    ...(tiers && { tiers: tiersIn(tiers) }),
    capacities: servingCapacities(option, { role, ...asked, requests_per_s, decoding, ...(tiers && { cached: tiers.cached, tiers }) }),
  }
}

/** Which resource the parts of a plan would use beyond what a device has, if any. */
function overfilledPool(wanted: ServingPlanInputs, parts: readonly PoolChoice[]): string | undefined {
  const beyond = parts.flatMap((part) => overfilled(poolOf(wanted, part).capacities ?? []) ?? [])[0]
  return beyond && overfilledText(beyond)
}

const shareOf = (pool: Pick<ServingPool, 'capacities'> | undefined, wanted: Resource): number =>
  pool?.capacities?.find(({ resource }) => resource === wanted)?.share ?? 0

/** Whether physics forbids an objective: no replica tried could meet it at the full rates of its memory and arithmetic. */
function impossibility(catalog: Catalog, wanted: ServingPlanInputs, replicas: readonly ReplicaDesign[]): PlannedServing['impossible'] {
  const { objectives, traffic } = wanted
  const tokens = traffic.input_tokens * (1 - traffic.cachedPrompt)
  const each = replicas.map((replica) => ({ replica, floors: floorsOf(catalog, replica, tokens) }))
  const least = (name: 'ttft' | 'tpot') => each.toSorted((a, b) => a.floors[name].value - b.floors[name].value)[0]
  const [first, next] = [least('ttft'), least('tpot')]
  const broken = [
    ...(first && first.floors.ttft.value > objectives.ttft_s ? (['ttft'] as const) : []),
    ...(next && next.floors.tpot.value > objectives.tpot_s * stepGain(wanted.speculation) ? (['tpot'] as const) : []),
  ]
  const shown = broken[0] === 'tpot' ? next : first
  if (!shown || broken.length === 0) return undefined
  const { machine, precision, layout } = shown.replica
  return { floors: shown.floors, on: `${machine.accelerator}, ${precision.name}, ${layoutText(layout)}`, objectives: broken }
}
