// What agents report. A report is recorded once, by the high-water mark of its sender, and only for the current attempt of its run.
// Ten thousand live runs send as many a second, so a report without exits and notes is one statement.

import type { Report, StepRow } from '@ironlaw/contracts/report'
import { sql } from 'kysely'
import { type Database, inTransaction } from './database.ts'
import { appendEvents, type NewEvent, runStream } from './events.ts'
import { jsonText } from './json-text.ts'
import { wake } from './leases.ts'
import type { Checkpoint, StepBatch, Vitals } from './tables.ts'

export type Received = { readonly run_id: string; readonly attempt: number; readonly received_at: number; readonly report: Report }

/** 'fenced': a later attempt exists. 'unknown': there is no such run, or it has not come to that attempt. */
export type Recorded = 'recorded' | 'repeated' | 'fenced' | 'unknown'

/** An attempt keeps so many exits at hand; the first ones tell the cause, and all of them are in the events. */
const EXITS_KEPT = 64

export function recordReport(database: Database, received: Received): Promise<Recorded> {
  const [first, ...others] = eventsIn(received)
  if (!first) return takeReport(database, received)
  return inTransaction(database, async (transaction) => {
    await wake(transaction, { run_id: received.run_id, at: received.received_at })
    const answer = await takeReport(transaction, received)
    if (answer === 'recorded') await appendEvents(transaction, runStream(received.run_id), [first, ...others])
    return answer
  })
}

function eventsIn({ attempt, received_at, report }: Received): readonly NewEvent[] {
  const told = { actor: `agent/${report.node}`, at: received_at }
  return [
    ...report.exits.map((exit) => ({ ...told, kind: 'rank-exited', body: { attempt, ...exit } })),
    ...report.notes.map((note) => ({ ...told, kind: `agent-${note.kind}`, body: { attempt, at: note.at, detail: note.detail } })),
  ]
}

async function takeReport(database: Database, received: Received): Promise<Recorded> {
  const { run_id, attempt, received_at, report } = received
  const { index, sequence } = report
  const completed = report.notes.find(({ kind }) => kind === 'completed')?.detail
  const exits = report.exits
    .slice(0, EXITS_KEPT)
    .map(({ node, index, rank, code, signal, at }) => ({ node, index, rank, code, signal, at }))
  const { first, last, rows } = stepsIn(report.steps)
  const answer = await sql<{ attempt: number; taken: boolean }>`
    with run as (select attempt from runs where id = ${run_id} for share),
    taken as (
      insert into beats as old (run_id, attempt, node_index, node, sequence, received_at, beats, beats_at, exits, completed,
        first_step_at, last_step, last_step_at)
      select ${run_id}, attempt, ${index}::int, ${report.node}, ${sequence}::int, ${received_at}::float8, ${jsonText(report.beats)}::jsonb,
        ${received_at}::float8, ${jsonText(exits)}::jsonb, ${completed ? jsonText(completed) : null}::jsonb,
        ${first?.at ?? null}::float8, ${last?.step ?? null}::bigint, ${last?.at ?? null}::float8
      from run where attempt = ${attempt}::int
      on conflict (run_id, attempt, node_index) do update set
        node = excluded.node, sequence = excluded.sequence, received_at = excluded.received_at,
        beats = case when excluded.beats = '[]' then old.beats else excluded.beats end,
        beats_at = case when excluded.beats = '[]' then old.beats_at else excluded.beats_at end,
        exits = case when jsonb_array_length(old.exits) < ${EXITS_KEPT}::int then old.exits || excluded.exits else old.exits end,
        completed = coalesce(old.completed, excluded.completed),
        first_step_at = coalesce(old.first_step_at, excluded.first_step_at),
        last_step = coalesce(excluded.last_step, old.last_step), last_step_at = coalesce(excluded.last_step_at, old.last_step_at)
      where old.sequence < excluded.sequence
      returning attempt
    ),
    stepped as (
      insert into steps (run_id, attempt, first_step, last_step, node_index, sequence, rows)
      select ${run_id}, attempt, ${first?.step ?? null}::bigint, ${last?.step ?? null}::bigint, ${index}::int, ${sequence}::int, ${rows}::jsonb
      from taken where ${rows}::jsonb is not null
    ),
    saved as (
      insert into checkpoints (run_id, reported_in, attempt, step, state, bytes, write_s, pause_s, at, manifest)
      select ${run_id}, taken.attempt, each.attempt, step, state, bytes, write_s, pause_s, at, manifest
      from taken, jsonb_to_recordset(${jsonText(report.checkpoints)}::jsonb) as each (attempt int, step bigint, state text, bytes bigint,
        write_s float8, pause_s float8, at float8, manifest text)
      on conflict do nothing
    )
    select attempt, exists (select from taken) as taken from run`.execute(database)
  const [run] = answer.rows
  if (!run || run.attempt < attempt) return 'unknown'
  if (run.attempt > attempt) return 'fenced'
  return run.taken ? 'recorded' : 'repeated'
}

function stepsIn(steps: readonly StepRow[]): { readonly first?: StepRow; readonly last?: StepRow; readonly rows: string | null } {
  const sorted = steps.toSorted((a, b) => a.step - b.step)
  const [first] = sorted
  const last = sorted.at(-1)
  return first && last ? { first, last, rows: jsonText(sorted) } : { rows: null }
}

/** The last words of every reporting agent of the current attempts of these runs. */
export async function vitalsOf(database: Database, run_ids: readonly string[]): Promise<ReadonlyMap<string, readonly Vitals[]>> {
  if (run_ids.length === 0) return new Map()
  const rows = await database
    .selectFrom('runs')
    .innerJoin('beats', (join) => join.onRef('beats.run_id', '=', 'runs.id').onRef('beats.attempt', '=', 'runs.attempt'))
    .selectAll('beats')
    .where(sql<boolean>`runs.id = any (${run_ids}::text[])`)
    .orderBy('beats.run_id')
    .orderBy('beats.node_index')
    .execute()
  return Map.groupBy(rows, ({ run_id }) => run_id)
}

/** The newest batches of step rows of an attempt, newest first. */
export function recentSteps(
  database: Database,
  of: { readonly run_id: string; readonly attempt: number; readonly batches: number },
): Promise<StepBatch[]> {
  return database
    .selectFrom('steps')
    .selectAll()
    .where('run_id', '=', of.run_id)
    .where('attempt', '=', of.attempt)
    .orderBy('first_step', 'desc')
    .limit(of.batches)
    .execute()
}

export type StepPlace = Pick<StepBatch, 'attempt' | 'first_step' | 'node_index' | 'sequence'>

/** All step rows of a run in the order they were taken: attempt, then step. */
export function stepsAfter(
  database: Database,
  run_id: string,
  page: { readonly after?: StepPlace; readonly limit: number },
): Promise<StepBatch[]> {
  const { after, limit } = page
  const query = database.selectFrom('steps').selectAll().where('run_id', '=', run_id)
  const rest = after
    ? query.where(
        sql<boolean>`(attempt, first_step, node_index, sequence) > (${after.attempt}::int, ${after.first_step}::bigint, ${after.node_index}::int, ${after.sequence}::int)`,
      )
    : query
  return rest.orderBy('attempt').orderBy('first_step').orderBy('node_index').orderBy('sequence').limit(limit).execute()
}

export function checkpointsOf(database: Database, run_id: string): Promise<Checkpoint[]> {
  return database
    .selectFrom('checkpoints')
    .selectAll()
    .where('run_id', '=', run_id)
    .orderBy('reported_in')
    .orderBy('at')
    .orderBy('step')
    .execute()
}
