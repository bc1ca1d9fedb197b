// A published campaign as far as it is known, the rest assumed as for any plan, simulated with an uncertain failure rate.

import { DAY } from '@ironlaw/units'
import { closedFormIntervals, withInterval } from '../decisions/interval.ts'
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
import type { RandomStream } from '../kernel/random-stream.ts'
import { LEDGER_INDEX, MICROSECONDS } from '../training/ledger.ts'
import type { TrialOptions } from '../training/simulate.ts'
import type { Trial } from '../training/trial.ts'
import { drawnTrials } from '../reliability/drawn-campaign.ts'
import { type RateBelief, softwareAt } from '../reliability/rates.ts'
import { storeBandwidth } from '../reliability/store.ts'

export type KnownCampaign = {
  readonly accelerators: number
  readonly days: number
  readonly parameters: number
  /** Writers together; as a plan assumes it when the source does not say. */
  readonly store_bytes_per_s?: number
  /** Planned stops in the window. */
  readonly planned?: number
}

const PER_NODE = 8
/** A parallel file system. */
const USUAL_STORE = 100e9
/** A software failure in a thousand, so that a rate of none stays a number. */
const LEAST_SOFTWARE = 0.001
/** Few would checkpoint more often, whatever the formula says. */
const LEAST_INTERVAL_S = 300
const PLANNED_STOP_S = 600

function publishedCampaign(known: KnownCampaign, belief: RateBelief): Campaign {
  const nodes = Math.ceil(known.accelerators / PER_NODE)
  const bytes = known.parameters * STATE_BYTES.value
  const move_s = bytes / storeOf(known).value
  const mtbf_s = DAY / belief.perNodeDay
  const software = Math.max(softwareAt(belief, 0.5), LEAST_SOFTWARE)
  const fleet: Campaign = {
    nodes,
    perNode: PER_NODE,
    nodesPerRack: NODES_PER_RACK.value,
    nodesPerSwitch: NODES_PER_SWITCH.value,
    spares: 0,
    work_s: Infinity,
    window_s: known.days * DAY,
    components: [
      { name: 'hardware', scope: 'node', mtbf_s, detect_s: DETECTION.value, repair_s: NODE_REPAIR.value },
      { name: 'software', scope: 'node', mtbf_s: mtbf_s / software, detect_s: DETECTION.value, repair_s: 0 },
    ],
    checkpointing: {
      rule: { kind: 'every', interval_s: LEAST_INTERVAL_S },
      pause_s: STAGING.value + bytes / known.accelerators / HOST_COPY.value,
      tiers: [{ name: 'store', write_s: move_s, load_s: move_s, every: 1, survives: 'everything' }],
      slowdown: CONTENTION.value,
    },
    recovery: { swap_s: SWAP.value, restart_s: startUpTime(known.accelerators).time_s, warmup_s: 0 },
    ...(known.planned !== undefined && { maintenance: { every_s: (known.days * DAY) / (known.planned + 1), lasts_s: PLANNED_STOP_S } }),
  }
  return withInterval(fleet, Math.max(LEAST_INTERVAL_S, closedFormIntervals(fleet).daly_s))
}

/** Each replica is a cluster of its own; the operators chose the interval for the expected one. */
export const campaignTrials = (known: KnownCampaign, belief: RateBelief, sample: TrialOptions): readonly Trial[] =>
  drawnTrials(publishedCampaign(known, belief), { belief, step: 0 }, sample)

/** `lost per stop` in minutes. */
export type ScoredQuantity = 'interruptions' | 'hardware' | 'software' | 'effective' | 'lost per stop'

export function quantityOfTrial({ interruptions, plannedStops, failures, ledger, wall }: Trial, of: ScoredQuantity): number {
  const useful = ledger[LEDGER_INDEX.useful]!
  switch (of) {
    case 'interruptions':
      return interruptions
    case 'hardware':
      return failures[0] ?? 0
    case 'software':
      return failures[1] ?? 0
    case 'effective':
      return useful / wall
    case 'lost per stop':
      return (wall - useful) / MICROSECONDS / 60 / Math.max(1, interruptions + plannedStops)
  }
}

/** Most of `count` events at random times that fall into one stretch, which is `share` of the whole. */
export function worstStretch(count: number, share: number, stream: RandomStream): number {
  const times = Array.from({ length: count }, () => stream.uniform()).toSorted((a, b) => a - b)
  let most = 0
  let first = 0
  times.forEach((time, last) => {
    while (time - (times[first] ?? time) > share) first += 1
    most = Math.max(most, last - first + 1)
  })
  return most
}

export function inputsOf(known: KnownCampaign, belief: RateBelief): AssumedFigure[] {
  const start = startUpTime(known.accelerators)
  return [
    { name: 'interruptions per 1,000 node-days', value: 1000 * belief.perNodeDay, unit: '1', from: belief.from },
    { name: 'accelerators', value: known.accelerators, unit: '1', from: 'the source' },
    { name: 'window', value: known.days, unit: 'days', from: 'the source, or assumed where the note says so' },
    { name: 'checkpoint', value: known.parameters * STATE_BYTES.value, unit: 'B', from: STATE_BYTES.from },
    storeOf(known),
    {
      name: 'checkpoint interval',
      value: intervalOf(publishedCampaign(known, belief)),
      unit: 's',
      from: "Daly's for these figures, at least 5 min",
    },
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

const intervalOf = ({ checkpointing: { rule } }: Campaign): number => (rule.kind === 'every' ? rule.interval_s : LEAST_INTERVAL_S)

function storeOf({ accelerators, store_bytes_per_s }: KnownCampaign): AssumedFigure {
  const name = 'write bandwidth'
  if (store_bytes_per_s !== undefined) return { name, value: store_bytes_per_s, unit: 'B/s', from: 'the source' }
  return { name, ...storeBandwidth(USUAL_STORE, Math.ceil(accelerators / PER_NODE)), unit: 'B/s' }
}
