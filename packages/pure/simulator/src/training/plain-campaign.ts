// The campaign of the textbook: one kind of failure, synchronous checkpoints, nothing else. What differs is laid over it.

import { DAY } from '@ironlaw/units'
import type { Campaign } from './campaign.ts'

export type PlainInputs = {
  readonly mtbf_s: number
  readonly write_s: number
  readonly interval_s: number
  readonly work_s: number
  readonly restart_s?: number
}

/** A run that takes longer than this many times its work will not end. */
const PATIENCE = 100

export const plainCampaign = ({ mtbf_s, write_s, interval_s, work_s, restart_s = 0 }: PlainInputs): Campaign => ({
  nodes: 1,
  perNode: 8,
  nodesPerRack: 1,
  nodesPerSwitch: 1,
  spares: 0,
  work_s,
  window_s: PATIENCE * work_s + DAY,
  components: [{ name: 'anything', scope: 'job', mtbf_s, detect_s: 0, repair_s: 0 }],
  checkpointing: {
    rule: { kind: 'every', interval_s },
    pause_s: write_s,
    tiers: [{ name: 'store', write_s: 0, load_s: 0, every: 1, survives: 'everything' }],
    slowdown: 0,
  },
  recovery: { swap_s: 0, restart_s, warmup_s: 0 },
})
