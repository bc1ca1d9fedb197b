// The ranks that an attempt of a run has.

import { IronlawError } from '@ironlaw/contracts'
import { attemptsOf, type Database, type Run } from '@ironlaw/store'
import { specOfRun } from './run-spec.ts'

const NEXT = { next: 'choose one of these; "ironlaw describe RUN" shows on which nodes each attempt ran' }

/** Throws where the attempt has no such rank, with those there are. A run that has not begun has none, and no log yet. */
export async function requireRank(database: Database, run: Run, of: { readonly attempt: number; readonly rank: number }): Promise<void> {
  const attempts = (await attemptsOf(database, [run.id])).get(run.id)
  const attempt = attempts.find(({ number }) => number === of.attempt)
  if (!attempt && of.attempt !== run.attempt)
    throw new IronlawError(
      'IL_INVALID',
      { path: 'attempt', problem: `run ${run.id} has attempts 1 to ${run.attempt}, and no ${of.attempt}` },
      NEXT,
    )
  const ranks = (attempt?.nodes ?? 0) * specOfRun(run).shape.processesPerNode
  if (!attempt || of.rank < ranks) return
  const there = ranks === 1 ? 'rank 0 only' : `ranks 0 to ${ranks - 1}`
  throw new IronlawError(
    'IL_INVALID',
    { path: 'rank', problem: `attempt ${of.attempt} of run ${run.id} has ${there}, and no ${of.rank}` },
    NEXT,
  )
}
