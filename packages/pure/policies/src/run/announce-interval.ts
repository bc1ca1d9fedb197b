// How often the agents of a run that wait for work announce themselves. The API sends them the interval; an agent that keeps
// to it must not count as silent.

import type { RunShape } from '@ironlaw/contracts'

/** So many announcements a second from the agents of one run at most; a run with few agents is answered as often as helps recovery. */
const ANNOUNCEMENTS_PER_S = 200
const SOONEST_S = 0.2
const LATEST_S = 5

export function announceInterval_s({ nodes, spares = 0 }: Pick<RunShape, 'nodes' | 'spares'>): number {
  return Math.min(LATEST_S, Math.max(SOONEST_S, (nodes + spares) / ANNOUNCEMENTS_PER_S))
}

/** Agents spread their announcements by a quarter, and one may be lost. */
export const announceSilence_s = (shape: Pick<RunShape, 'nodes' | 'spares'>): number => 2 * 1.25 * announceInterval_s(shape)
