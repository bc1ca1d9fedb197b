// Warns once per attempt that its reports name nodes or ranks which it does not have. Such reports are ignored; they may come from an
// agent with a wrong name for its node, or from a program that writes reports of its own.

import type { Observation } from '@ironlaw/policies/run'
import { applyUnderLease, type Lease } from '@ironlaw/store'
import type { ReconcilePorts } from './ports.ts'

export async function recordDisbelief({ database, now }: ReconcilePorts, { run, token }: Lease, seen: Observation): Promise<Observation> {
  const current = seen.attempts.at(-1)
  const rows = seen.disbelieved ?? 0
  if (!current || current.state === 'ended' || current.disbelieved || rows === 0) return seen
  const marked = { ...current, disbelieved: true }
  await applyUnderLease(
    database,
    { run_id: run.id, token },
    {
      at: now(),
      attempts: [marked],
      events: [
        {
          kind: 'report-disbelieved',
          actor: 'reconciler',
          at: now(),
          body: {
            attempt: current.number,
            rows,
            placed: current.placed ?? [],
            why: 'it names nodes or ranks that the attempt does not have',
          },
        },
      ],
    },
  )
  return { ...seen, attempts: [...seen.attempts.slice(0, -1), marked] }
}
