// A published campaign as far as it is known, the rest assumed as for any plan, simulated with an uncertain failure rate.

import { DAY } from '@ironlaw/units'
import { closedFormIntervals, withInterval } from '../decisions/interval.ts'
import { nodesInRepair } from '../decisions/spares.ts'
import { EventQueue } from '../kernel/event-queue.ts'
import {
  type AssumedFigure,
  CONTENTION,
  DETECTION,
  HOST_COPY,
  NODE_REPAIR,
  NODES_PER_RACK,
  NODES_PER_SWITCH,
  STAGING,
  STATE_BYTES,
  SWAP,
} from '../reliability/assumed.ts'
import { startUpTime } from '../reliability/start-up.ts'
import type { Campaign } from '../training/campaign.ts'
import { type CampaignOutcome, outcomeOf, type TrialOptions } from '../training/simulate.ts'
import { trainingRun } from '../training/training-run.ts'
import { believedMtbf, type RateBelief } from './rates.ts'

export type KnownCampaign = {
  readonly accelerators: number
  readonly days: number
  readonly parameters: number
  /** Writers together; a parallel file system of 100 GB/s when the source does not say. */
  readonly store_bytes_per_s?: number
  /** Planned stops in the window. */
  readonly planned?: number
}

const PER_NODE = 8
const USUAL_STORE = 100e9
/** Few would checkpoint more often, whatever the formula says. */
const LEAST_INTERVAL_S = 300
const PLANNED_STOP_S = 600
const DEVIATIONS = 3.09

function publishedCampaign(known: KnownCampaign, mtbf_s: number, interval_s?: number): Campaign {
  const nodes = Math.ceil(known.accelerators / PER_NODE)
  const bytes = known.parameters * STATE_BYTES.value
  const move_s = bytes / (known.store_bytes_per_s ?? USUAL_STORE)
  const fleet: Campaign = {
    nodes,
    perNode: PER_NODE,
    nodesPerRack: NODES_PER_RACK.value,
    nodesPerSwitch: NODES_PER_SWITCH.value,
    spares: 0,
    work_s: Infinity,
    window_s: known.days * DAY,
    components: [{ name: 'node', scope: 'node', mtbf_s, detect_s: DETECTION.value, repair_s: NODE_REPAIR.value }],
    checkpointing: {
      rule: { kind: 'every', interval_s: LEAST_INTERVAL_S },
      pause_s: STAGING.value + bytes / known.accelerators / HOST_COPY.value,
      tiers: [{ name: 'store', write_s: move_s, load_s: move_s, every: 1, survives: 'everything' }],
      slowdown: CONTENTION.value,
    },
    recovery: { swap_s: SWAP.value, restart_s: startUpTime(known.accelerators).time_s, warmup_s: 0 },
    ...(known.planned !== undefined && { maintenance: { every_s: (known.days * DAY) / (known.planned + 1), lasts_s: PLANNED_STOP_S } }),
  }
  const repairing = nodesInRepair(fleet)
  const held = { ...fleet, spares: Math.ceil(repairing + DEVIATIONS * Math.sqrt(repairing)) }
  return withInterval(held, interval_s ?? Math.max(LEAST_INTERVAL_S, closedFormIntervals(held).daly_s))
}

/** Each replica has its own rate; the operators chose the interval for the expected one. */
export function simulatedCampaign(known: KnownCampaign, belief: RateBelief, { replicas, seed }: TrialOptions): CampaignOutcome {
  const queue = new EventQueue()
  const interval_s = intervalFor(known, belief)
  return outcomeOf(
    Array.from({ length: replicas }, (_, replica) =>
      trainingRun(publishedCampaign(known, believedMtbf(belief, (replica + 0.5) / replicas), interval_s), { seed, replica }, queue),
    ),
  )
}

function intervalFor(known: KnownCampaign, { perNodeDay }: RateBelief): number {
  const { rule } = publishedCampaign(known, DAY / perNodeDay).checkpointing
  return rule.kind === 'every' ? rule.interval_s : LEAST_INTERVAL_S
}

export function inputsOf(known: KnownCampaign, belief: RateBelief): AssumedFigure[] {
  const start = startUpTime(known.accelerators)
  return [
    { name: 'interruptions per 1,000 node-days', value: 1000 * belief.perNodeDay, unit: '1', from: belief.from },
    { name: 'accelerators', value: known.accelerators, unit: '1', from: 'the source' },
    { name: 'window', value: known.days, unit: 'days', from: 'the source, or assumed where the note says so' },
    { name: 'checkpoint', value: known.parameters * STATE_BYTES.value, unit: 'B', from: STATE_BYTES.from },
    {
      name: 'write bandwidth',
      value: known.store_bytes_per_s ?? USUAL_STORE,
      unit: 'B/s',
      from: known.store_bytes_per_s === undefined ? 'estimate: parallel file system' : 'the source',
    },
    { name: 'checkpoint interval', value: intervalFor(known, belief), unit: 's', from: "Daly's for these figures, at least 5 min" },
    { name: 'start of a job', value: start.time_s, unit: 's', from: start.from },
    DETECTION,
    SWAP,
    { ...NODE_REPAIR, from: `${NODE_REPAIR.from}; spares enough for 99.9 % of the time` },
    CONTENTION,
    ...(known.planned === undefined
      ? []
      : [{ name: 'planned stops', value: known.planned, unit: '1', from: 'the source; estimate: 10 min and a restart each' }]),
  ]
}
