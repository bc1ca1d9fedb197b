// A campaign of any size that sees the same number of failures, with as many checkpoints between two of them: what is left to differ
// is the number of accelerators. For the benchmark.

import { DAY } from '@ironlaw/units'
import type { Campaign } from './campaign.ts'

const FAILURES = 20_000
/** Llama 3: one interruption in about 50,700 hours of an accelerator. */
const ACCELERATOR_MTBF_S = 2112 * DAY
const PER_NODE = 8

export function scaleCampaign(accelerators: number): Campaign {
  const nodes = Math.ceil(accelerators / PER_NODE)
  const mtbf_s = ACCELERATOR_MTBF_S / (nodes * PER_NODE)
  const part = (share: number): number => share * mtbf_s
  return {
    nodes,
    perNode: PER_NODE,
    nodesPerRack: 4,
    nodesPerSwitch: 16,
    spares: 10,
    work_s: Infinity,
    window_s: FAILURES * mtbf_s,
    components: [
      { name: 'gpu', scope: 'accelerator', mtbf_s: 2 * ACCELERATOR_MTBF_S, detect_s: part(0.02), repair_s: part(1) },
      // Early failures: half of all, by Weibull lives of shape 0.8.
      {
        name: 'hbm',
        scope: 'accelerator',
        mtbf_s: 2 * ACCELERATOR_MTBF_S,
        shape: 0.8,
        age_s: 300 * DAY,
        detect_s: part(0.02),
        repair_s: part(1),
      },
    ],
    checkpointing: {
      rule: { kind: 'every', interval_s: part(0.05) },
      pause_s: part(0.0005),
      tiers: [{ name: 'store', write_s: part(0.005), load_s: part(0.005), every: 1, survives: 'everything' }],
      slowdown: 0.1,
    },
    recovery: { swap_s: part(0.005), restart_s: part(0.03), warmup_s: 0 },
  }
}
