// A fleet of known size as a plan: who serves what with how many devices, at what price, and what was simulated of it.

import type { Catalog } from '@ironlaw/catalog'
import { ENGINE_STEP_CAUSES, type Resource, type ServingPlan, servingPlanId, type ServingPool } from '@ironlaw/contracts'
import { givenValue, HOUR } from '@ironlaw/units'
import { economicsOf } from '../economics.ts'
import type { CacheTiers } from './cache-tiers.ts'
import type { FleetLimit } from './fleet-limit.ts'
import type { FleetSize } from './fleet-size.ts'
import { firstTokenInterval, servingInterval } from './interval.ts'
import { devicesOf } from './layout.ts'
import type { Speculation } from './mechanisms.ts'
import type { ServingPlanInputs } from './serving-inputs.ts'
import { devicesOfPools, type PoolChoice } from './pool-choice.ts'
import { type CarriedLoad, lengthsOf, poolCapacities } from './pool-load.ts'
import { planQuality } from './quality.ts'
import { predictionLayers } from './speculation.ts'
import { decodeWork } from './steady-state.ts'
import { expertPlacement } from './token-time.ts'

/** Replicas that serve, pool by pool, with the spares of each. */
export const withSpares = ({ spare }: ServingPlanInputs, replicas: readonly number[]): readonly number[] =>
  replicas.map((count) => count + spare)

type SimulatedFleet = { readonly parts: readonly PoolChoice[]; readonly size: FleetSize; readonly limit: FleetLimit }

export function servingPlan(catalog: Catalog, wanted: ServingPlanInputs, { parts, size, limit }: SimulatedFleet): ServingPlan {
  const [first, last] = [parts[0], parts.at(-1)]
  if (!first || !last) throw new Error('a plan needs a pool')
  const { replica, memory } = last.option
  const replicas = withSpares(wanted, size.replicas)
  const perReplica = size.replicas.map((count) => limit.requests_per_s / count)
  const decoding = (perReplica.at(-1) ?? 0) * limit.trial.felt.decode_s
  const pools = parts.map((part, at) =>
    poolOf(wanted, part, { replicas: replicas[at] ?? 1, requests_per_s: perReplica[at] ?? 0, decoding }),
  )
  const quality = planQuality(catalog, wanted, replica.precision.name)
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
    ...(quality && { quality }),
    ...(wanted.speculation && { speculation: speculationIn(wanted.speculation) }),
    ...(wanted.adapters && { adapters: wanted.adapters }),
    ...(wanted.offload && { offload: wanted.offload }),
    pools,
    devices: devicesOfPools(parts, replicas),
    spare: wanted.spare,
    traffic: wanted.traffic,
    objectives: wanted.objectives,
    prediction: {
      ...latencyFigures(first, last, { size, limit }),
      replica_requests_per_s: perReplica.at(-1) ?? 0,
      capacity_requests_per_s: limit.requests_per_s,
      decoding,
      memoryBandwidthUtilization: shareOf(pools.at(-1), 'memory bandwidth'),
      flopsUtilization: shareOf(pools.at(-1), 'arithmetic'),
      weights_bytes: memory.weights_bytes,
      cache_tokens: memory.tokens,
      binding: limit.binding,
      ...hourFigures(catalog, wanted, { parts, replicas }),
      step_s: stepCauses(last, wanted, decoding),
    },
  }
  return { ...content, id: servingPlanId(content) }
}

function poolOf(
  wanted: ServingPlanInputs,
  part: PoolChoice,
  { replicas, requests_per_s, decoding }: CarriedLoad & { readonly replicas: number },
): ServingPool {
  const { role, option, capacity } = part
  const { layout, runtime } = option.replica
  const { tiers } = capacity
  const experts = expertPlacement(option.replica, role === 'decode' ? decoding / layout.data : runtime.tokensPerStep)
  return {
    role,
    replicas,
    layout,
    devicesPerReplica: devicesOf(layout),
    ...(experts && { experts }),
    ...(tiers && { tiers: tiersIn(tiers) }),
    capacities: poolCapacities(wanted, part, { requests_per_s, decoding }),
  }
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

type LatencyFigure = 'ttft_s' | 'ttft_low_s' | 'ttft_high_s' | 'tpot_s' | 'tpot_low_s' | 'tpot_high_s'
type LatencyFigures = Pick<
  ServingPlan['prediction'],
  LatencyFigure | 'client_s' | 'probability' | 'attained' | 'ttft_at_capacity_s' | 'tpot_at_capacity_s' | 'unmeasured'
>

function latencyFigures(first: PoolChoice, last: PoolChoice, { size, limit }: Omit<SimulatedFleet, 'parts'>): LatencyFigures {
  const { felt, probability } = size.trial
  const [ttft, tpot] = [
    firstTokenInterval(first.option.replica, { prompt_s: size.trial.prompt_s, ttft_s: felt.ttft.value }),
    servingInterval(last.option.replica, 'tpot_s', felt.tpot.value),
  ]
  return {
    ttft_s: felt.ttft.value,
    ttft_low_s: ttft.low,
    ttft_high_s: ttft.high,
    tpot_s: felt.tpot.value,
    tpot_low_s: tpot.low,
    tpot_high_s: tpot.high,
    client_s: first.option.replica.runtime.client_s,
    probability,
    attained: felt.attained,
    ttft_at_capacity_s: limit.trial.felt.ttft.value,
    tpot_at_capacity_s: limit.trial.felt.tpot.value,
    ...(last.option.replica.machine.borrowed && { unmeasured: true }),
  }
}

type BoughtFleet = { readonly parts: readonly PoolChoice[]; readonly replicas: readonly number[] }

/** Of the whole fleet, spares included. */
export function fleetHour(catalog: Catalog, wanted: ServingPlanInputs, { parts, replicas }: BoughtFleet): ReturnType<typeof economicsOf> {
  const machine = parts[0]?.option.replica.machine
  if (!machine) throw new Error('a fleet needs a pool')
  return economicsOf(catalog, {
    accelerator: machine.accelerator,
    devices: devicesOfPools(parts, replicas),
    duration: givenValue(HOUR, 's'),
    ...(wanted.price && { price: wanted.price }),
  })
}

function hourFigures(
  catalog: Catalog,
  wanted: ServingPlanInputs,
  fleet: BoughtFleet,
): Pick<ServingPlan['prediction'], 'usd_per_hour' | 'usd_per_million_tokens' | 'joules_per_token' | 'output_tokens_per_s_per_device'> {
  const { cost, energy } = fleetHour(catalog, wanted, fleet)
  const tokens_per_s = wanted.traffic.requests_per_s * wanted.traffic.output_tokens
  return {
    output_tokens_per_s_per_device: tokens_per_s / devicesOfPools(fleet.parts, fleet.replicas),
    joules_per_token: energy.value / (tokens_per_s * HOUR),
    ...(cost && { usd_per_hour: cost.value, usd_per_million_tokens: (cost.value / (tokens_per_s * HOUR)) * 1e6 }),
  }
}

/** One decode step of a replica at its limit. */
function stepCauses(
  { option: { replica, step } }: PoolChoice,
  wanted: ServingPlanInputs,
  decoding: number,
): ServingPlan['prediction']['step_s'] {
  const { input, output } = lengthsOf(wanted)
  const explained = step.explained(decodeWork(Math.max(1, decoding / replica.layout.pipeline), input + output / 2))
  return Object.fromEntries(
    ENGINE_STEP_CAUSES.flatMap((cause) => (cause === 'draft' && !wanted.speculation ? [] : [[cause, explained[cause]]])),
  )
}

const shareOf = (pool: Pick<ServingPool, 'capacities'> | undefined, wanted: Resource): number =>
  pool?.capacities?.find(({ resource }) => resource === wanted)?.share ?? 0
