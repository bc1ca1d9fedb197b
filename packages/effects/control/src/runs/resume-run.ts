// Resumes a failed or cancelled run with its next attempt, from its newest checkpoint. Earlier failures no longer count against its limits.
// If its time was already added to the fleet's books, it is removed and added again in full when the run ends.

import { IronlawError, isTerminal } from '@ironlaw/contracts'
import { bookOf } from '@ironlaw/policies/ledger'
import { addEdges, type Database, reopenBooks, resume, type Run, takeOutOfBooks } from '@ironlaw/store'
import { runLedger } from '../ledger/run-ledger.ts'
import { specOfRun } from './run-spec.ts'

type ResumeOptions = { readonly id: string; readonly actor: string; readonly at: number }

/** Does nothing to a run that has not ended. */
export async function resumeRun(database: Database, { id, actor, at }: ResumeOptions): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const run = await transaction.selectFrom('runs').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
    if (!run) throw new IronlawError('IL_NOT_FOUND', { kind: 'run', id })
    if (!isTerminal(run.state)) return
    if (run.state === 'succeeded')
      throw new IronlawError('IL_CONFLICT', {
        problem: `run ${id} has succeeded`,
        next: 'start a new run to train further',
      })
    await keepUsedArtifacts(transaction, run, at)
    await openBooks(transaction, run, at)
    const body = { attempt: run.attempt, after: run.state, ...(run.verdict && { cause: run.verdict.cause, detail: run.verdict.detail }) }
    await resume(transaction, run, { kind: 'run-resumed', actor, at, body })
  })
}

/** Refused where one was removed since the run ended; until it ends again, nobody removes them. */
async function keepUsedArtifacts(database: Database, run: Run, at: number): Promise<void> {
  const artifacts = specOfRun(run).uses?.map((used) => used.id) ?? []
  await addEdges(database, { run_id: run.id, project: run.project, artifacts, how: 'used', at })
}

async function openBooks(database: Database, run: Run, at: number): Promise<void> {
  if (await reopenBooks(database, run.id)) return
  const ledger = await runLedger(database, run, at)
  await takeOutOfBooks(database, { ...run, ended_at: ledger.to_at }, bookOf(ledger))
}
