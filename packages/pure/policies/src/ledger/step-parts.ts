// One step by causes, as weights. A program that names its phases otherwise, or not at all, has its time under 'other'.

import type { TimeCause } from '@ironlaw/contracts/ledger'
import type { CauseWeight } from './books.ts'
import type { StepFact } from './facts.ts'

const CAUSE_OF: ReadonlyMap<string, TimeCause> = new Map([
  ['data', 'data stall'],
  ['compute', 'compute'],
  ['optimizer', 'compute'],
  ['communication', 'exposed communication'],
  ['bubble', 'bubble'],
  ['checkpoint', 'checkpoint'],
] as const)

export function stepCauseWeights({ seconds, phases_s, slowest }: StepFact): readonly [CauseWeight, ...CauseWeight[]] {
  const named = Object.entries(phases_s).map(([phase, time_s]) => [CAUSE_OF.get(phase) ?? 'other', time_s] as const)
  const sum = (cause: TimeCause): number => named.reduce((total, [each, time_s]) => (each === cause ? total + time_s : total), 0)
  const covered = named.reduce((total, [, time_s]) => total + time_s, 0)
  const communication = sum('exposed communication')
  const rest = sum('other') + Math.max(0, seconds - covered)
  // A rank that has computed waits for the slowest inside the exchange that follows: over the ranks, slowest less mean.
  const wait = Math.max(0, (slowest?.compute_s ?? 0) - (phases_s['compute'] ?? 0))
  const inExchange = Math.min(wait, communication)
  const inRest = Math.min(wait - inExchange, rest)
  return [
    ['compute', sum('compute')],
    ['exposed communication', communication - inExchange],
    ['bubble', sum('bubble')],
    ['straggler', inExchange + inRest],
    ['data stall', sum('data stall')],
    ['checkpoint', sum('checkpoint')],
    ['other', rest - inRest],
  ]
}
