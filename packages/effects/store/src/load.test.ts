// The queries behind every page and every round of the reconciler, over 20,000 runs: each must be answered from an index. Timings are
// printed, not judged: the machine is shared.

import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely'
import { Pool } from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { onServer } from '../test/each-database.ts'
import { report } from '../test/samples.ts'
import { booksSince, dueForBooking } from './books.ts'
import type { Database } from './database.ts'
import { feedAfter } from './events.ts'
import { giveBack, leaseDue } from './leases.ts'
import { bearersOf } from './principals.ts'
import { recentStepsOf, recordReport, recordReports, vitalsOf } from './reports.ts'
import { listRuns, LIVE_STATES, liveRunCounts, runOf } from './runs.ts'
import type { Tables } from './tables.ts'

const RUNS = 20_000
const LIVE = 6000
const DAYS = 365

/** The newest are live; all have reported; 50 projects; every run has four events. */
async function fill(database: Database): Promise<void> {
  await sql`insert into plans values ('plan-1', 'TrainingPlan', '{}', 0)`.execute(database)
  await sql`
    insert into runs (id, name, project, plan_id, spec, program, state, state_since_at, desired, attempt, version, created_at, created_by, ended_at)
    select 'run-' || n, 'run ' || n, 'project-' || n % 50, 'plan-1', jsonb_build_object('text', repeat(md5(n::text), 20)), '{"argv": ["train.py"]}',
      case when n > ${RUNS - LIVE}::int then 'running' when n % 7 = 0 then 'failed' else 'succeeded' end, n, 'run', 1, 1, n, 'ada',
      case when n > ${RUNS - LIVE}::int then null else n end
    from generate_series(1, ${RUNS}::int) as n`.execute(database)
  await sql`
    insert into beats (run_id, attempt, node_index, node, sequence, received_at, beats, beats_at, exits)
    select id, 1, 0, 'n1', 0, created_at, '[]', created_at, '[]' from runs`.execute(database)
  await sql`insert into leases select id, created_at, 0, 1, null from runs where state = 'running'`.execute(database)
  await sql`
    insert into events (stream, sequence, at, kind, actor, body, previous_hash, hash)
    select 'run/run-' || n, each, n, 'run-changed', 'reconciler', '{}', '', md5(n::text) from generate_series(1, ${RUNS}::int) as n, generate_series(1, 4) as each
  `.execute(database)
  await sql`
    insert into principals (id, name, role, token_hash, run_id, created_at)
    select 'p-' || n, 'run', 'run', 'hash-' || n, 'run-' || n, n from generate_series(1, ${RUNS}::int) as n`.execute(database)
  await sql`
    insert into steps select 'run-' || n, 1, n % 7, n % 7, 0, 0, '[]' from generate_series(1, ${RUNS}::int) as n`.execute(database)
  await sql`insert into unbooked select 'run-' || n, n from generate_series(1, 5000) as n`.execute(database)
  await sql`
    insert into ledger_causes select day, 'team', 'project-' || project, 'compute', 1, 1, 1, 1, 1, 1
    from generate_series(1, ${DAYS}::int) as day, generate_series(1, 20) as project`.execute(database)
  await sql`
    insert into ledger_days select day, 'team', 'project-' || project, 1, 1, 1, 1, 1, 1, 1
    from generate_series(1, ${DAYS}::int) as day, generate_series(1, 20) as project`.execute(database)
  await sql`vacuum analyze`.execute(database)
}

const receivedReport = (run_id: string) => ({ run_id, attempt: 1, received_at: 1, report: report(0) })

const CALLS = 25

async function timeCall(name: string, call: () => Promise<unknown>): Promise<void> {
  const times: number[] = []
  for (let each = 0; each < CALLS; each += 1) {
    const started = performance.now()
    await call()
    times.push(performance.now() - started)
  }
  times.sort((a, b) => a - b)
  console.log(`${name}: p50 ${times[Math.floor(CALLS / 2)]?.toFixed(2)} ms, worst ${times.at(-1)?.toFixed(2)} ms`)
}

/** How PostgreSQL would run each statement that a call makes. */
async function plansOf(url: string, call: (database: Database) => Promise<unknown>): Promise<string> {
  const made: CompiledQuery[] = []
  const dialect = new PostgresDialect({ pool: new Pool({ connectionString: url, max: 1 }) })
  const listening = new Kysely<Tables>({ dialect, log: ({ query }) => void made.push(query) })
  await call(listening)
  const plans: string[] = []
  for (const { sql: text, parameters } of made.splice(0)) {
    const { rows } = await listening.executeQuery<{ 'QUERY PLAN': string }>(CompiledQuery.raw(`explain ${text}`, [...parameters]))
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
  }
  await listening.destroy()
  return plans.join('\n')
}

onServer((opened) => {
  beforeAll(() => fill(opened().database), 120_000)

  const middle = { created_at: RUNS / 2, id: `run-${RUNS / 2}` }
  const ids = Array.from({ length: 64 }, (_, index) => `run-${RUNS - index}`)

  test.each<[name: string, index: string, call: (database: Database) => Promise<unknown>]>([
    ['get', 'runs_pkey', (database) => runOf(database, 'run-7777')],
    ['list', 'runs_newest', (database) => listRuns(database, {}, { limit: 50 })],
    ['list from the middle', 'runs_newest', (database) => listRuns(database, {}, { limit: 50, before: middle })],
    ['list a state', 'runs_newest_of_state', (database) => listRuns(database, { states: ['failed'] }, { limit: 50, before: middle })],
    [
      'list a project',
      'runs_newest_of_project',
      (database) => listRuns(database, { projects: ['project-7'] }, { limit: 50, before: middle }),
    ],
    [
      'list a state of a project',
      'runs_newest_of_project_and_state',
      (database) => listRuns(database, { projects: ['project-7'], states: ['failed'] }, { limit: 50, before: middle }),
    ],
    ['list several states', 'runs_newest_of_state', (database) => listRuns(database, { states: ['failed', 'queued'] }, { limit: 50 })],
    [
      'list several states of a project behind the last',
      'runs_newest_of_project_and_state',
      (database) => listRuns(database, { projects: ['project-7'], states: LIVE_STATES }, { limit: 50, before: middle }),
    ],
    ['count live runs', 'runs_newest_of_state', (database) => liveRunCounts(database)],
    ['steps of 64 runs', 'steps_pkey', (database) => recentStepsOf(database, { run_ids: ids, batches: 64 })],
    ['tokens', 'principals_token_hash_key', (database) => bearersOf(database, { hashes: ids, at: 1 })],
    ['reports of 64 runs', 'runs_pkey', (database) => recordReports(database, ids.map(receivedReport))],
    ['books of a week', 'ledger_causes_pkey', (database) => booksSince(database, { from_at: 86_400 * (DAYS - 7), by: 'project' })],
    ['runs to be booked', 'unbooked_due', (database) => dueForBooking(database, { at: 1, limit: 100 })],
    ['feed', 'events_feed', (database) => feedAfter(database, { transaction_id: '0', feed: RUNS }, 100)],
    ['vitals of 64 runs', 'beats_pkey', (database) => vitalsOf(database, ids)],
    ['lease none due', 'leases_due', (database) => leaseDue(database, { holder: 'a', at: 0, lease_s: 10, limit: 64 })],
  ])('%s is answered from %s', async (name, index, call) => {
    const { database, url = '' } = opened()
    await timeCall(name, () => call(database))
    const plans = await plansOf(url, call)
    expect(plans).toMatch(new RegExp(`using ${index}\\b|on ${index}\\b`))
    expect(plans).not.toMatch(/Seq Scan/)
  })

  test('what a run costs on disk, with its indexes', async () => {
    const tables = ['runs', 'leases', 'beats', 'events']
    const { rows } = await sql<{ name: string; bytes: number }>`
      select name, pg_total_relation_size(name::regclass) as bytes from unnest(${tables}::text[]) as name`.execute(opened().database)
    const per = rows.map(({ name, bytes }) => `${name} ${Math.round(bytes / (name === 'leases' ? LIVE : RUNS))}`)
    console.log(`bytes a run: ${per.join(', ')} (leases: live runs only)`)
    expect(rows).toHaveLength(tables.length)
  })

  test('a round over 64 due runs of 6,000 live ones, and reports by 8 senders', { timeout: 120_000 }, async () => {
    const { database } = opened()
    let at = RUNS
    await timeCall('lease 64 and give them back', async () => {
      const leases = await leaseDue(database, { holder: 'a', at: (at += 1), lease_s: 10, limit: 64 })
      expect(leases).toHaveLength(64)
      await giveBack(
        database,
        leases.map(({ run, token }) => ({ run_id: run.id, token, next_look_at: at + 200 })),
      )
    })
    const ranks = [{ rank: 0, step: 1, phase: 'compute', phase_age_s: 0, alive: true }]
    const beats = [{ node: 'n1', index: 0, host: 'n1', age_s: 0, ranks }]
    const started = performance.now()
    const senders = Array.from({ length: 8 }, async (_, sender) => {
      for (let each = 1; each <= 250; each += 1) {
        const steps = [{ step: each, at, seconds: 1, tokens: 64, loss: 3, world: 1, phases_s: { compute: 1 } }]
        const received = {
          run_id: `run-${RUNS - sender - 8 * (each % 50)}`,
          attempt: 1,
          received_at: at,
          report: report(each, { beats, steps }),
        }
        expect(await recordReport(database, received)).toMatchObject({ recorded: 'recorded' })
      }
    })
    await Promise.all(senders)
    console.log(`reports: ${Math.round(2000 / ((performance.now() - started) / 1000))} a second`)
  })
})
