// A training plan as a campaign: its duration is the work, its devices the fleet, its model the checkpoint.

import { type Catalog, entry, HOST_POWER } from '@ironlaw/catalog'
import type { TrainingPlan } from '@ironlaw/contracts'
import { closedFormIntervals, withInterval } from '../decisions/interval.ts'
import { withReclaims } from '../decisions/tier-mix.ts'
import { DAY } from '@ironlaw/units'
import { type Campaign, campaignMtbf, type Tier } from '../training/campaign.ts'
import type { CostRates } from '../training/money.ts'
import {
  type AssumedFigure,
  CONTENTION,
  CORRUPTION_FOUND,
  DETECTION,
  IDLE_POWER,
  IN_PROCESS_RESTART,
  NETWORK_REPAIR,
  NODE_REPAIR,
  NODES_PER_RACK,
  NODES_PER_SWITCH,
  STORED_EVERY,
  SWAP,
} from './assumed.ts'
import { checkpointSize } from './checkpoint-size.ts'
import { COMPONENTS_FROM, componentsOf } from './components.ts'
import { sparesFor } from './drawn-campaign.ts'
import { SPOT_NOTICE_S, type SpotNodes } from './offers.ts'
import { checkpointPause_s, stagingOf } from './staging.ts'
import { startUpTime } from './start-up.ts'
import { storeBandwidth } from './store.ts'

export type PlanCampaign = { readonly campaign: Campaign; readonly rates: CostRates; readonly assumed: readonly AssumedFigure[] }

export type CampaignOptions = {
  /** A storage tier of the catalog. */
  readonly storage?: string
  /** What all nodes together write to it; otherwise the catalog's figure, or more for a large fleet. */
  readonly store_bytes_per_s?: number
  /** Nodes that stand by; enough in 99.9 % of the time when absent: a wait stops the whole fleet. */
  readonly spares?: number
  readonly interval_s?: number
  /** Interruptions of any kind per node and day, where the cluster is known. */
  readonly perNodeDay?: number
  readonly restart?: 'job' | 'in-process'
  readonly checkpointTo?: 'storage' | 'peers'
  /** All nodes are of this kind. */
  readonly spot?: SpotNodes
}

/** A run that takes this many times its work will not end. */
export const PATIENCE = 20

export function planCampaign(catalog: Catalog, plan: TrainingPlan, options: CampaignOptions = {}): PlanCampaign {
  const { devices, perNode: joined, perHost } = plan.fleet
  // Hosts fail, not the domain that fast links join.
  const perNode = perHost ?? joined
  const nodes = Math.ceil(devices / perNode)
  const { bytes, from: stored } = checkpointSize(plan)
  const storage = storageOf(catalog, { nodes, bytes }, options)
  const start = startOf(devices, options)
  const staging = stagingOf(catalog, { accelerator: plan.fleet.accelerator, perNode })
  const peers = options.checkpointTo === 'peers' ? peerBandwidth(plan, staging.copy) : undefined
  const fleet: Campaign = {
    nodes,
    perNode,
    nodesPerRack: NODES_PER_RACK.value,
    nodesPerSwitch: NODES_PER_SWITCH.value,
    spares: 0,
    work_s: plan.prediction.duration_s,
    window_s: PATIENCE * plan.prediction.duration_s,
    components: componentsOf(catalog),
    checkpointing: {
      rule: { kind: 'every', interval_s: 1 },
      pause_s: checkpointPause_s(staging, bytes / devices),
      tiers: nodes > 1 && peers ? [peerTier(peers.value, bytes / devices), { ...storage.tier, every: STORED_EVERY.value }] : [storage.tier],
      slowdown: CONTENTION.value,
    },
    recovery: { swap_s: SWAP.value, restart_s: start.value, warmup_s: 0 },
  }
  const rated = options.perNodeDay === undefined ? fleet : withRate(fleet, options.perNodeDay)
  const exposed = options.spot ? withReclaims(rated, reclaimsOf(options.spot, nodes)) : rated
  const held = { ...exposed, spares: options.spares ?? sparesFor(exposed) }
  return {
    campaign: withInterval(held, options.interval_s ?? closedFormIntervals(held).daly_s),
    rates: ratesOf(catalog, plan),
    assumed: [
      {
        name: 'failures',
        value: held.components.length,
        unit: 'kinds',
        from: options.perNodeDay === undefined ? COMPONENTS_FROM : OWN_RATE,
      },
      { name: 'checkpoint', value: bytes, unit: 'B', from: stored },
      storage.written,
      start,
      DETECTION,
      SWAP,
      NODE_REPAIR,
      NETWORK_REPAIR,
      CORRUPTION_FOUND,
      staging.fixed,
      staging.copy,
      CONTENTION,
      NODES_PER_SWITCH,
      IDLE_POWER,
      ...(peers ? [STORED_EVERY, peers] : []),
    ],
  }
}

const OWN_RATE = `interruptions of a node as the spec states them, divided among causes as ${COMPONENTS_FROM}`

const withRate = (campaign: Campaign, perNodeDay: number): Campaign => {
  const factor = (perNodeDay * campaign.nodes * campaignMtbf(campaign)) / DAY
  return { ...campaign, components: campaign.components.map((each) => ({ ...each, mtbf_s: each.mtbf_s / factor })) }
}

function startOf(devices: number, { restart }: CampaignOptions): AssumedFigure {
  if (restart === 'in-process') return IN_PROCESS_RESTART
  const { time_s, from } = startUpTime(devices)
  return { name: 'start of a job', value: time_s, unit: 's', from }
}

type StoredBy = { readonly nodes: number; readonly bytes: number }

function storageOf(
  catalog: Catalog,
  { nodes, bytes }: StoredBy,
  { storage = 'parallel-lustre', store_bytes_per_s: stated }: CampaignOptions,
): { readonly tier: Tier; readonly written: AssumedFigure } {
  const { name, facts } = entry(catalog, 'storage', storage)
  const shared = (way: 'read' | 'write'): { readonly value: number; readonly from: string } => {
    if (stated !== undefined) return { value: stated, from: 'the spec' }
    const clients = nodes * facts.perClient[way].value
    const together = storeBandwidth(facts.aggregate?.[way].value ?? Infinity, nodes)
    return clients < together.value ? { value: clients, from: `catalog: ${name}, all nodes together` } : together
  }
  const write = shared('write')
  return {
    tier: { name, write_s: bytes / write.value, load_s: bytes / shared('read').value, every: 1, survives: 'everything' },
    written: { name: 'write bandwidth', unit: 'B/s', ...write },
  }
}

/** A plan may use fewer nodes than the provider takes away at once. */
const reclaimsOf = (spot: SpotNodes, nodes: number): Parameters<typeof withReclaims>[1] => ({
  ...spot,
  together: Math.min(spot.together, nodes),
  notice_s: SPOT_NOTICE_S,
})

/** Into the host of another node: no faster than out of the device, nor than through its share of the network. */
function peerBandwidth({ prediction: { capacities = [] } }: TrainingPlan, copy: AssumedFigure): AssumedFigure {
  const port = capacities.find(({ resource }) => resource === 'port')?.has ?? Infinity
  const name = 'copy to the memory of a peer per accelerator'
  return port < copy.value ? { name, value: port, unit: 'B/s', from: 'the network between nodes, as planned' } : { ...copy, name }
}

const peerTier = (bandwidth: number, bytes: number): Tier => ({
  name: 'memory of peers',
  write_s: bytes / bandwidth,
  load_s: bytes / bandwidth,
  every: 1,
  survives: 'node',
})

function ratesOf(catalog: Catalog, { fleet, prediction: { cost_usd, energy_j, duration_s } }: TrainingPlan): CostRates {
  const used = fleet.devices * duration_s
  return {
    ...(cost_usd !== undefined && { price_usd_per_s: cost_usd / used }),
    power_w:
      energy_j === undefined ? (1 + HOST_POWER) * entry(catalog, 'accelerators', fleet.accelerator).facts.tdp.value : energy_j / used,
    idle: IDLE_POWER.value,
  }
}
