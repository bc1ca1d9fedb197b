// How often a run should save a checkpoint, from the cost of one and from how often machines of its size fail.

import { timeToCheckpoint } from '@ironlaw/policies'

/**
 * One interruption in 50,000 accelerator-hours: 419 in 54 days on 16,384 (Llama Team 2024, The Llama 3 Herd of Models, section
 * 3.3.4, Table 5, arXiv:2407.21783).
 */
const EXPECTED_MTBF_S = 50_000 * 3600

/** The rate above is of machines that are looked after; at this interval a pause of 10 s costs half a percent, so more is not risked. */
const LONGEST_S = 1800

/** However little it costs, storage and the keeping of books are shared with others. */
const SHORTEST_S = 10

/** Until the first checkpoint a failure costs everything, and nothing is known of what one costs: soon where it is cheap, by the plan. */
const FIRST_S = { soonest: 30, latest: 300 } as const

/** Of the time until then, for its pause. */
const FIRST_SHARE = 0.01

/** At least as fast a shard is copied from its device to the host: a twentieth of PCIe 4.0 x16. */
const COPIED_BYTES_PER_S = 1e9

/** `memory_bytes`: what the plan says that a device holds, of which a checkpoint is a part; a job has no plan. */
export function firstCheckpoint(memory_bytes: number | undefined): number {
  if (memory_bytes === undefined) return FIRST_S.soonest
  return Math.min(FIRST_S.latest, Math.max(FIRST_S.soonest, memory_bytes / COPIED_BYTES_PER_S / FIRST_SHARE))
}

export type SavingRun = {
  readonly accelerators: number
  readonly elapsed_s: number
  readonly interruptions: number
  readonly pause_s: number
  readonly write_s: number
}

export function checkpointInterval({ accelerators, elapsed_s, interruptions, pause_s, write_s }: SavingRun): number {
  const rule = { kind: 'observed', expectedMtbf_s: EXPECTED_MTBF_S / accelerators } as const
  const due = timeToCheckpoint(rule, { elapsed_s, interruptions, pause_s })
  // Training loses the pause, not the write behind it; but the next write cannot begin before the last has ended.
  return Math.max(write_s, SHORTEST_S, Math.min(due, LONGEST_S))
}
