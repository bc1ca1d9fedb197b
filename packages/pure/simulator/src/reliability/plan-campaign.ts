// A training plan as a campaign: its duration is the work, its devices the fleet, its model the checkpoint.

import { type Catalog, entry, HOST_POWER } from '@ironlaw/catalog'
import type { TrainingPlan } from '@ironlaw/contracts'
import { closedFormIntervals, withInterval } from '../decisions/interval.ts'
import { nodesInRepair } from '../decisions/spares.ts'
import type { Campaign } from '../training/campaign.ts'
import type { CostRates } from '../training/money.ts'
import {
  type AssumedFigure,
  CONTENTION,
  CORRUPTION_FOUND,
  DETECTION,
  IDLE_POWER,
  NETWORK_REPAIR,
  NODE_REPAIR,
  NODES_PER_RACK,
  NODES_PER_SWITCH,
  STATE_BYTES,
  SWAP,
} from './assumed.ts'
import { COMPONENTS_FROM, componentsOf } from './components.ts'
import { checkpointPause_s, stagingOf } from './staging.ts'
import { startUpTime } from './start-up.ts'

export type PlanCampaign = { readonly campaign: Campaign; readonly rates: CostRates; readonly assumed: readonly AssumedFigure[] }

export type CampaignOptions = {
  /** A storage tier of the catalog. */
  readonly storage?: string
  /** Nodes that stand by; enough in 99.9 % of the time when absent: a wait stops the whole fleet. */
  readonly spares?: number
  readonly interval_s?: number
}

/** A run that takes this many times its work will not end. */
const PATIENCE = 20
/** Of a standard normal, 99.9 % lie below. */
const ENOUGH = 3.09

export function planCampaign(
  catalog: Catalog,
  plan: TrainingPlan,
  { storage = 'parallel-lustre', spares, interval_s }: CampaignOptions = {},
): PlanCampaign {
  const { devices, perNode: joined, perHost } = plan.fleet
  // Hosts fail, not the domain that fast links join.
  const perNode = perHost ?? joined
  const nodes = Math.ceil(devices / perNode)
  const bytes = STATE_BYTES.value * parametersOf(plan.model)
  const store = entry(catalog, 'storage', storage)
  const bandwidth = (way: 'read' | 'write'): number =>
    Math.min(store.facts.aggregate?.[way].value ?? Infinity, nodes * store.facts.perClient[way].value)
  const start = startUpTime(devices)
  const staging = stagingOf(catalog, { accelerator: plan.fleet.accelerator, perNode })
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
      tiers: [
        { name: store.name, write_s: bytes / bandwidth('write'), load_s: bytes / bandwidth('read'), every: 1, survives: 'everything' },
      ],
      slowdown: CONTENTION.value,
    },
    recovery: { swap_s: SWAP.value, restart_s: start.time_s, warmup_s: 0 },
  }
  const repairing = nodesInRepair(fleet)
  const held = { ...fleet, spares: spares ?? Math.ceil(repairing + ENOUGH * Math.sqrt(repairing)) }
  return {
    campaign: withInterval(held, interval_s ?? closedFormIntervals(held).daly_s),
    rates: ratesOf(catalog, plan),
    assumed: [
      { name: 'failures', value: held.components.length, unit: 'kinds', from: COMPONENTS_FROM },
      { name: 'checkpoint', value: bytes, unit: 'B', from: `${STATE_BYTES.value} B per parameter: ${STATE_BYTES.from}` },
      { name: 'write bandwidth', value: bandwidth('write'), unit: 'B/s', from: `catalog: ${store.name}, all nodes together` },
      { name: 'start of a job', value: start.time_s, unit: 's', from: start.from },
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
    ],
  }
}

/** Parameters as the plan describes the model; attention, feed-forward and embedding, without what is small. */
function parametersOf({
  layers,
  width,
  heads,
  kvHeads,
  inner,
  vocabulary,
  experts = 1,
  gated,
  tied,
  headWidth,
}: TrainingPlan['model']): number {
  const head = headWidth ?? width / heads
  const attention = 2 * width * head * (heads + kvHeads)
  return layers * (attention + (gated ? 3 : 2) * width * inner * experts) + (tied ? 1 : 2) * vocabulary * width
}

function ratesOf(catalog: Catalog, { fleet, prediction: { cost_usd, energy_j, duration_s } }: TrainingPlan): CostRates {
  const used = fleet.devices * duration_s
  return {
    ...(cost_usd !== undefined && { price_usd_per_s: cost_usd / used }),
    power_w:
      energy_j === undefined ? (1 + HOST_POWER) * entry(catalog, 'accelerators', fleet.accelerator).facts.tdp.value : energy_j / used,
    idle: IDLE_POWER.value,
  }
}
