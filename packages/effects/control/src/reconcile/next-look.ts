// When to look at a run next: soon where something is expected, otherwise when silence or a standstill could first be detected.
// Reports of exits and of completion trigger a look at once, so a healthy run costs one look every few seconds.

import type { RunState } from '@ironlaw/contracts'
import type { Observation, RunLimits } from '@ironlaw/policies/run'

const SOONEST_S = 0.2
/** Of the time that a node has been silent: right after it fell silent a second sign is near, later looks only cost. */
const SILENT_SHARE = 0.25
const SILENT_S = 2
const EXPECTING_S: Readonly<Partial<Record<RunState, number>>> = {
  queued: 1,
  starting: 1,
  checking: 1,
  recovering: 0.3,
  cancelling: 0.5,
  unreachable: 2,
}

/** An attempt that follows another is waited for by ranks that have stopped; after this long it waits for nodes, as the first one did. */
const RECOVERING_FOR_S = 30

function isRecovering({ attempts, now }: Observation): boolean {
  const [before, current] = attempts.slice(-2)
  return current?.state === 'submitted' && now - (before?.endedAt ?? -Infinity) < RECOVERING_FOR_S
}

export function nextLook(seen: Observation, state: RunState, limits: RunLimits): number {
  const expecting = EXPECTING_S[isRecovering(seen) ? 'recovering' : state]
  if (expecting !== undefined) return seen.now + expecting
  const oldest = Math.min(...seen.nodes.map((node) => node.receivedAt))
  const silent = oldest + limits.silence_s + 0.05
  const patience = Math.min(SILENT_S, Math.max(SOONEST_S, SILENT_SHARE * (seen.now - silent)))
  return Math.max(seen.now + patience, Math.min(silent, seen.now + limits.silence_s))
}
