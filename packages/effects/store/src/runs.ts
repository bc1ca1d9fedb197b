// Runs: users create them and set their desired state here, the holder of their lease moves them (`leases.ts`). Both write the event that
// records it.

import { isTerminal, type Program, RUN_STATES, type RunState } from '@ironlaw/contracts'
import { sql } from 'kysely'
import { type Database, inTransaction } from './database.ts'
import { appendEvents, type NewEvent, runStream } from './events.ts'
import { jsonText } from './json-text.ts'
import { wake } from './leases.ts'
import { type NewPlan, putPlan } from './plans.ts'
import { inProjects, type ProjectScope } from './project-scope.ts'
import type { JsonObject, Run } from './tables.ts'

export const LIVE_STATES: readonly RunState[] = RUN_STATES.filter((state) => !isTerminal(state))

export type NewRun = {
  readonly id: string
  readonly name: string
  readonly project: string
  readonly team?: string
  readonly plan: Omit<NewPlan, 'created_at'>
  readonly spec: JsonObject
  readonly program: Program
  /** Digest of what makes two runs repetitions of each other. */
  readonly recipe?: string
}

export function createRun(database: Database, { plan, ...run }: NewRun, event: NewEvent): Promise<void> {
  const { at, actor } = event
  return inTransaction(database, async (transaction) => {
    await putPlan(transaction, { ...plan, created_at: at }, run.project)
    await transaction
      .insertInto('runs')
      .values({
        ...run,
        plan_id: plan.id,
        spec: jsonText(run.spec),
        program: jsonText(run.program),
        state: 'queued',
        state_since_at: at,
        desired: 'run',
        attempt: 0,
        version: 1,
        created_at: at,
        created_by: actor,
      })
      .execute()
    await transaction.insertInto('leases').values({ run_id: run.id, next_look_at: at, until_at: 0, token: 0 }).execute()
    await appendEvents(transaction, runStream(run.id), [event])
  })
}

export function runOf(database: Database, id: string): Promise<Run | undefined> {
  return database.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The run with that id, else those of that name, newest first. */
export async function runsNamed(
  database: Database,
  name: string,
  { limit, projects }: { readonly limit: number; readonly projects: ProjectScope },
): Promise<readonly Run[]> {
  const visible = database.selectFrom('runs').selectAll().where(inProjects(projects))
  const run = await visible.where('id', '=', name).executeTakeFirst()
  if (run) return [run]
  const query = visible.where('name', '=', name)
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
}

type RepetitionsOf = { readonly run: Pick<Run, 'id' | 'project'>; readonly recipe: string; readonly limit: number }

/** Other runs of the project with the same recipe, newest first. */
export const repetitionsOf = (database: Database, { run, recipe, limit }: RepetitionsOf): Promise<readonly Run[]> =>
  database
    .selectFrom('runs')
    .selectAll()
    .where('recipe', '=', recipe)
    .where('project', '=', run.project)
    .where('id', '<>', run.id)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()

/** Only those that live: counting a million in history at every scrape would cost more than all else. */
export async function liveRunCounts(database: Database, projects: ProjectScope = '*'): Promise<ReadonlyMap<RunState, number>> {
  const rows = await database
    .selectFrom('runs')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .where('state', 'in', LIVE_STATES)
    .where(inProjects(projects))
    .groupBy('state')
    .execute()
  const counts = new Map(rows.map(({ state, count }) => [state, count]))
  return new Map(LIVE_STATES.map((state) => [state, counts.get(state) ?? 0]))
}

export type RunFilter = { readonly projects?: ProjectScope; readonly states?: readonly RunState[] }

export type RunPage = { readonly limit: number; readonly before?: Pick<Run, 'created_at' | 'id'> }

/** Newest first; the last run of a page is where the next one begins. */
export async function listRuns(
  database: Database,
  { projects = '*', states }: RunFilter,
  { limit, before }: RunPage,
): Promise<readonly Run[]> {
  const newest = sql`order by created_at desc, id desc limit ${limit}`
  const listQuery = ({ project, state }: { readonly project?: string; readonly state?: RunState }) => sql<Run>`
    (select * from runs where ${project === undefined ? sql`true` : sql`project = ${project}`}
      and ${state === undefined ? sql`true` : sql`state = ${state}`}
      and ${before ? sql`(created_at, id) < (${before.created_at}::float8, ${before.id})` : sql`true`} ${newest})`
  const ofProjects = projects === '*' ? [{}] : projects.map((project) => ({ project }))
  const parts = ofProjects.flatMap((part) => states?.map((state) => ({ ...part, state })) ?? [part])
  const [only, ...others] = parts
  if (!only) return []
  // No index has several states or projects in one order. The newest of each have one, and the page is among them.
  const query = others.length === 0 ? listQuery(only) : sql<Run>`${sql.join(parts.map(listQuery), sql` union all `)} ${newest}`
  return (await query.execute(database)).rows
}

/** Resumes a failed or cancelled run with its next attempt, in the caller's transaction, which opens its books again. */
export async function resume(database: Database, { id, attempt }: Pick<Run, 'id' | 'attempt'>, event: NewEvent): Promise<void> {
  const { at } = event
  await database
    .updateTable('runs')
    .set({
      state: attempt === 0 ? 'queued' : 'recovering',
      state_since_at: at,
      desired: 'run',
      wait_reason: 'resumed',
      verdict: null,
      ended_at: null,
      forgiven: attempt,
      version: sql`version + 1`,
    })
    .where('id', '=', id)
    .execute()
  // Above every token that was given out before the end: a holder that has slept since then must not find its own.
  const token = Math.floor(at * 1000)
  await database.insertInto('leases').values({ run_id: id, next_look_at: at, until_at: 0, token }).execute()
  await appendEvents(database, runStream(id), [event])
}

/** What a person wants of a run. 'ended' when nothing more can be wanted of it. */
export function setDesired(
  database: Database,
  { run_id, desired }: { readonly run_id: string; readonly desired: Run['desired'] },
  event: NewEvent,
): Promise<'applied' | 'unchanged' | 'ended' | 'unknown'> {
  return inTransaction(database, async (transaction) => {
    await wake(transaction, { run_id, at: event.at })
    const run = await transaction.selectFrom('runs').select(['state', 'desired']).where('id', '=', run_id).forUpdate().executeTakeFirst()
    if (!run) return 'unknown'
    if (isTerminal(run.state)) return 'ended'
    if (run.desired === desired) return 'unchanged'
    await transaction
      .updateTable('runs')
      .set({ desired, version: sql`version + 1` })
      .where('id', '=', run_id)
      .execute()
    await appendEvents(transaction, runStream(run_id), [event])
    return 'applied'
  })
}
