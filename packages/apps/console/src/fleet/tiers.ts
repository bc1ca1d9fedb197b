// Three tiers of utilisation, each part of the one above: accelerators were held, programs ran on them, and their steps were productive.

import type { TimeCause } from '@ironlaw/contracts/ledger'
import type { FleetLedger } from '@ironlaw/contracts/ledger-fleet'

export type Tier = { readonly name: 'allocated' | 'running' | 'productive'; readonly share: number; readonly about: string }

/** Accelerators are held, but the program is not running yet, or no longer. */
const NOT_RUNNING: ReadonlySet<TimeCause> = new Set(['check', 'start', 'load', 'detection', 'idle tail'])

export function tiersOf({ goodput, causes }: Pick<FleetLedger, 'goodput' | 'causes'>): readonly Tier[] {
  const lost = causes.filter(({ cause }) => NOT_RUNNING.has(cause)).reduce((sum, { share }) => sum + share, 0)
  const allocated = goodput.scheduling
  // For programs that report no steps.
  const unknown = causes.find(({ cause }) => cause === 'running')?.share ?? 0
  return [
    { name: 'allocated', share: allocated, about: 'of the time that runs requested, their accelerators were held' },
    {
      name: 'running',
      share: Math.max(0, allocated - lost),
      about: 'without checks, starts, loading, faults not yet noticed, and idle ends',
    },
    {
      name: 'productive',
      share: (allocated - unknown) * (goodput.runtime ?? 0),
      about: 'steps that count: without stalls, checkpoints and work that was lost',
    },
  ]
}
