// What agents report. A report is recorded once, by the high-water mark of its sender, and only for the current attempt of its run.
// Ten thousand live runs send as many a second, so reports without exits and notes are taken many in one statement.

import { stripVTControlCharacters } from 'node:util'
import type { RunState } from '@ironlaw/contracts'
import { ENVIRONMENT_NOTE } from '@ironlaw/contracts/run-origin'
import { EXIT_STATUS, EXITS_KEPT, READING, type Reading, type Report, type StepRow } from '@ironlaw/contracts/report'
import { sql } from 'kysely'
import { type Database, inTransaction } from './database.ts'
import { appendEvents, type NewEvent, runStream } from './events.ts'
import { jsonText } from './json-text.ts'
import { wake } from './leases.ts'
import { environmentIn, recordEnvironments } from './run-environments.ts'
import type { Checkpoint, JsonObject, KeptExit, Run, StepBatch, Vitals } from './tables.ts'

export type ReceivedReport = { readonly run_id: string; readonly attempt: number; readonly received_at: number; readonly report: Report }

/** 'fenced': a later attempt exists. 'unknown': there is no such run, or it has not come to that attempt. */
export type ReportOutcome = 'recorded' | 'repeated' | 'fenced' | 'unknown'

/** What became of a report, with what its sender must know of the run. */
export type ReportReceipt = {
  readonly recorded: ReportOutcome
  readonly state: RunState
  readonly desired: Run['desired']
}

/** Ranks of the largest runs, and what a run that keeps sending them may fill. */
const READINGS_KEPT = 16_384

export async function recordReport(database: Database, received: ReceivedReport): Promise<ReportReceipt> {
  const [first, ...others] = eventsIn(received)
  if (!first) return onlyReceipt(await recordWave(database, [received]))
  return inTransaction(database, async (transaction) => {
    await wake(transaction, { run_id: received.run_id, at: received.received_at })
    const taken = onlyReceipt(await recordWave(transaction, [received]))
    if (taken.recorded !== 'recorded') return taken
    const { run_id, attempt, received_at: at, report } = received
    const environments = report.notes.flatMap(({ kind, detail }) => (kind === ENVIRONMENT_NOTE ? (environmentIn(detail) ?? []) : []))
    await recordEnvironments(transaction, { run_id, attempt, at }, environments)
    await appendEvents(transaction, runStream(run_id), [first, ...others])
    return taken
  })
}

/** Exits and notes are events; a report with any is recorded alone, in the order lease, run, stream. */
export const isPlain = ({ exits, notes }: Report): boolean => exits.length === 0 && notes.length === 0

/** Plain reports of many runs in one statement, answered in their order. Those of one sender follow one another. */
export async function recordReports(database: Database, received: readonly ReceivedReport[]): Promise<readonly ReportReceipt[]> {
  const answers = new Map<ReceivedReport, ReportReceipt>()
  for (let rest = received; rest.length > 0;) {
    const first = new Map(rest.toReversed().map((each) => [`${each.run_id} ${each.attempt} ${each.report.index}`, each]))
    const wave = [...first.values()]
    const taken = await recordWave(database, wave)
    wave.forEach((each, index) => answers.set(each, onlyReceipt(taken.slice(index, index + 1))))
    rest = rest.filter((each) => !answers.has(each))
  }
  return received.map((each) => answers.get(each) ?? UNKNOWN)
}

const UNKNOWN: ReportReceipt = { recorded: 'unknown', state: 'queued', desired: 'run' }

const onlyReceipt = ([taken]: readonly ReportReceipt[]): ReportReceipt => taken ?? UNKNOWN

function eventsIn({ attempt, received_at, report }: ReceivedReport): readonly NewEvent[] {
  const told = { actor: `agent/${report.node}`, at: received_at }
  return [
    ...report.exits.map((exit) => ({ ...told, kind: 'rank-exited', body: { attempt, ...exit } })),
    ...report.notes.map((note) => ({ ...told, kind: `agent-${note.kind}`, body: { attempt, at: note.at, detail: eventDetail(note) } })),
  ]
}

/** A list of packages is kept once, by its digest, and not in every event. */
function eventDetail({ kind, detail }: Report['notes'][number]): JsonObject {
  const found = kind === ENVIRONMENT_NOTE ? environmentIn(detail) : undefined
  if (!found) return detail as JsonObject
  const { node_index: index, node, body, packages_digest } = found
  return { index, node, ...body, packages_digest }
}

/** A report as a row: what is absent is null there. */
function rowOf({ run_id, attempt, received_at, report }: ReceivedReport, place: number): object {
  const { first, last, rows } = stepsIn(report.steps)
  return {
    place,
    run_id,
    attempt,
    node_index: report.index,
    node: report.node,
    sequence: report.sequence,
    received_at,
    beats: report.beats,
    exits: report.exits.slice(0, EXITS_KEPT).map(keptExit),
    completed: report.notes.find(({ kind }) => kind === 'completed')?.detail,
    readings: readingsIn(report),
    first_step_at: first?.at,
    first_step: first?.step,
    last_step: last?.step,
    last_step_at: last?.at,
    steps: rows,
    checkpoints: report.checkpoints,
  }
}

/** A rank of an older or of a hostile program sends anything. */
function readingsIn({ notes }: Report): readonly Reading[] {
  return notes.flatMap(({ kind, detail }) => {
    const { data } = kind === 'reading' ? READING.safeParse(detail) : {}
    return data ?? []
  })
}

/** Enough of the last line that a program printed to say in a sentence what ended it; the events keep the whole tail. */
const WORDS_KEPT = 200
/** A program that says that no attempt can succeed names the reason: paths, a record, a rule, what to do. */
const FINAL_WORDS_KEPT = 1000

/** Without colours and other control characters, which terminals would act on. */
const linesOf = (tail: string): readonly string[] =>
  tail.split('\n').map((line) =>
    stripVTControlCharacters(line)
      .replaceAll(/[\p{Cc}\s]+/gu, ' ')
      .trim(),
  )

function keptExit({ tail, ...exit }: Report['exits'][number]): KeptExit {
  const words = linesOf(tail).findLast((line) => line !== '')
  return { ...exit, ...(words !== undefined && { words: words.slice(0, exit.code === EXIT_STATUS.final ? FINAL_WORDS_KEPT : WORDS_KEPT) }) }
}

type RecordedRow = { readonly attempt: number | null; readonly taken: boolean; readonly given: number } & Omit<ReportReceipt, 'recorded'>

/** No two of one sender: a statement cannot change a row twice. Rows are locked in the order of their keys, so that two never wait in a ring. */
async function recordWave(database: Database, received: readonly ReceivedReport[]): Promise<readonly ReportReceipt[]> {
  const { rows } = await sql<RecordedRow>`
    with given as materialized (
      select * from jsonb_to_recordset(${jsonText(received.map(rowOf))}::jsonb) as each (place int, run_id text, attempt int, node_index int,
        node text, sequence int, received_at float8, beats jsonb, exits jsonb, completed jsonb, readings jsonb, first_step_at float8, first_step bigint,
        last_step bigint, last_step_at float8, steps jsonb, checkpoints jsonb)
    ),
    run as materialized (
      select id, attempt, state, desired, (spec -> 'shape' ->> 'nodes')::int as nodes from runs where id = any (array(select run_id from given)) order by id for share
    ),
    taken as (
      insert into beats as old (run_id, attempt, node_index, node, sequence, received_at, beats, beats_at, exits, completed, readings,
        first_step_at, last_step, last_step_at)
      select given.run_id, given.attempt, node_index, node, sequence, received_at, beats, received_at, exits, completed, readings,
        first_step_at, last_step, last_step_at
      from given join run on run.id = given.run_id and run.attempt = given.attempt
      where given.node_index < coalesce(run.nodes, 2147483647)
      order by given.run_id, node_index
      on conflict (run_id, attempt, node_index) do update set
        node = excluded.node, sequence = excluded.sequence, received_at = excluded.received_at,
        beats = case when excluded.beats = '[]' then old.beats else excluded.beats end,
        beats_at = case when excluded.beats = '[]' then old.beats_at else excluded.beats_at end,
        exits = case when jsonb_array_length(old.exits) < ${EXITS_KEPT}::int then old.exits || excluded.exits else old.exits end,
        completed = coalesce(old.completed, excluded.completed),
        readings = case when jsonb_array_length(old.readings) < ${READINGS_KEPT}::int then old.readings || excluded.readings else old.readings end,
        first_step_at = coalesce(old.first_step_at, excluded.first_step_at),
        last_step = coalesce(excluded.last_step, old.last_step), last_step_at = coalesce(excluded.last_step_at, old.last_step_at)
      where old.sequence < excluded.sequence
      returning run_id, attempt, node_index
    ),
    stepped as (
      insert into steps (run_id, attempt, first_step, last_step, node_index, sequence, rows)
      select run_id, attempt, first_step, last_step, node_index, sequence, steps
      from taken join given using (run_id, attempt, node_index) where steps is not null
    ),
    saved as (
      insert into checkpoints (run_id, reported_in, attempt, step, state, bytes, write_s, pause_s, at, manifest)
      select run_id, taken.attempt, each.attempt, step, state, bytes, write_s, pause_s, at, manifest
      from taken join given using (run_id, attempt, node_index), jsonb_to_recordset(checkpoints) as each (attempt int, step bigint,
        state text, bytes bigint, write_s float8, pause_s float8, at float8, manifest text)
      on conflict do nothing
    )
    select given.attempt as given, run.attempt, state, desired, taken.run_id is not null as taken
    from given left join run on run.id = given.run_id
    left join taken on (taken.run_id, taken.attempt, taken.node_index) = (given.run_id, given.attempt, given.node_index)
    order by place`.execute(database)
  return rows.map(({ state, desired, ...row }) => ({ recorded: reportOutcome(row), state, desired }))
}

function reportOutcome({ given, attempt, taken }: Pick<RecordedRow, 'given' | 'attempt' | 'taken'>): ReportOutcome {
  if (attempt === null || attempt < given) return 'unknown'
  if (attempt > given) return 'fenced'
  return taken ? 'recorded' : 'repeated'
}

function stepsIn(steps: readonly StepRow[]): { readonly first?: StepRow; readonly last?: StepRow; readonly rows?: readonly StepRow[] } {
  const rows = steps.toSorted((a, b) => a.step - b.step)
  const [first] = rows
  const last = rows.at(-1)
  return first && last ? { first, last, rows } : {}
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

/** The same for the current attempts of many runs at once. */
export async function recentStepsOf(
  database: Database,
  of: { readonly run_ids: readonly string[]; readonly batches: number },
): Promise<ReadonlyMap<string, readonly StepBatch[]>> {
  if (of.run_ids.length === 0) return new Map()
  const { rows } = await sql<StepBatch>`
    select recent.* from runs cross join lateral (
      select * from steps where steps.run_id = runs.id and steps.attempt = runs.attempt order by first_step desc limit ${of.batches}
    ) as recent
    where runs.id = any (${of.run_ids}::text[]) order by recent.run_id, first_step desc`.execute(database)
  return Map.groupBy(rows, ({ run_id }) => run_id)
}

/**
 * How each of these runs learns now, by its current attempt: the mean time of its latest steps, and the last loss as JSON (null where it was not
 * a number). A program that prints every tenth step reports rows of ten, so the time is that of the rows behind the first over the steps between.
 */
export type Pace = { readonly step_s: number; readonly loss: number | null; readonly tells_loss: boolean }

/** Computed in the database: a batch may hold ten thousand rows, and a list a thousand runs. */
export async function pacesOf(
  database: Database,
  of: { readonly run_ids: readonly string[]; readonly batches: number },
): Promise<ReadonlyMap<string, Pace>> {
  if (of.run_ids.length === 0) return new Map()
  const { rows } = await sql<Pace & { readonly run_id: string }>`
    select runs.id as run_id, pace.* from runs cross join lateral (
      select coalesce(
          (sum(seconds) - (array_agg(seconds order by step))[1]) / nullif(max(step) - min(step), 0),
          avg(seconds)
        ) as step_s,
        ((array_agg(each -> 'loss' order by step desc))[1] #>> '{}')::float8 as loss,
        (array_agg(each ? 'loss' order by step desc))[1] as tells_loss
      from (
        select each, (each ->> 'step')::bigint as step, (each ->> 'seconds')::float8 as seconds from (
          select rows from steps where steps.run_id = runs.id and steps.attempt = runs.attempt order by first_step desc limit ${of.batches}
        ) as recent, jsonb_array_elements(recent.rows) as each
      ) as row
      having count(*) > 0
    ) as pace
    where runs.id = any (${of.run_ids}::text[])`.execute(database)
  return new Map(rows.map(({ run_id, ...pace }) => [run_id, pace]))
}

export type StepPosition = Pick<StepBatch, 'attempt' | 'first_step' | 'node_index' | 'sequence'>

/** All step rows of a run in the order they were taken: attempt, then step. */
export function stepsAfter(
  database: Database,
  run_id: string,
  page: { readonly after?: StepPosition; readonly limit: number },
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

type StepRange = { readonly from: number; readonly to: number; readonly limit: number }

/** Batches that hold one of these steps; of a step that was done again the later ones last. */
export const stepsWithin = (database: Database, run_id: string, { from, to, limit }: StepRange): Promise<StepBatch[]> =>
  database
    .selectFrom('steps')
    .selectAll()
    .where('run_id', '=', run_id)
    .where('last_step', '>=', from)
    .where('first_step', '<=', to)
    .orderBy('attempt')
    .orderBy('first_step')
    .orderBy('node_index')
    .orderBy('sequence')
    .limit(limit)
    .execute()

/** By attempt. */
export async function firstStepsOf(database: Database, run_id: string): Promise<ReadonlyMap<number, number>> {
  const rows = await database
    .selectFrom('steps')
    .select(['attempt', (of) => of.fn.min('first_step').as('first_step')])
    .where('run_id', '=', run_id)
    .groupBy('attempt')
    .execute()
  return new Map(rows.map(({ attempt, first_step }) => [attempt, first_step]))
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
