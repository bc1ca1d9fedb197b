// A history of runs that ended, written with one statement a table. What the control plane leaves of a short run of one attempt: eight events,
// the attempt, four batches of step rows, two checkpoints, the last words of its agent, its token.

import type { Database } from '@ironlaw/store'
import { sql } from 'kysely'

const YEAR_S = 365 * 86_400

/** Runs of 50 projects in 8 teams that ended evenly over the year before `now`, the last of them an hour ago. */
export async function seedHistory(database: Database, wanted: HistorySize): Promise<void> {
  // Indexes are made of whole tables in a third of the time that row by row takes; keys to other rows are right by how they are made.
  const { rows: indexes } = await sql<{ name: string; made: string }>`
    select indexname as name, indexdef as made from pg_indexes where schemaname = 'public' and tablename in ('runs', 'events')
    and indexname not like '%_pkey'`.execute(database)
  await database.transaction().execute(async (transaction) => {
    await sql`set local session_replication_role = replica`.execute(transaction)
    for (const { name } of indexes) await sql`drop index ${sql.id(name)}`.execute(transaction)
    await insertHistory(transaction, wanted)
    for (const { made } of indexes) await sql.raw(made).execute(transaction)
  })
  await sql`vacuum analyze`.execute(database)
  // What is old was written long ago: the minute that is measured does not pay for it.
  await sql`checkpoint`.execute(database)
}

type HistorySize = { readonly runs: number; readonly now: number }

async function insertHistory(database: Database, { runs, now }: HistorySize): Promise<void> {
  const begin = now - YEAR_S
  const step_s = (YEAR_S - 3600) / Math.max(1, runs)
  await sql`
    insert into plans values ('plan-history', 'TrainingPlan', '{"kind": "TrainingPlan", "prediction": {"step_s": 1}}', ${begin}) on conflict do nothing
  `.execute(database)
  await sql`
    insert into runs (id, name, project, team, plan_id, spec, program, state, state_since_at, desired, attempt, version, created_at, created_by, ended_at, verdict)
    select 'past-' || n, 'past-' || n % 1000, 'project-' || n % 50, 'team-' || n % 50 % 8, 'plan-history',
      '{"shape": {"nodes": 4, "processesPerNode": 8, "smaller": [2]}, "predicted_step_s": 1, "checkpoint_every_s": 300}',
      '{"argv": ["train.py", "--config", "large.yaml"], "directory": "/srv/train", "environment": {"DATA": "/data"}}',
      case when n % 7 = 0 then 'failed' else 'succeeded' end, ${begin}::float8 + n * ${step_s}::float8, 'run', 1, 6,
      ${begin}::float8 + n * ${step_s}::float8 - 7200, 'ada-1', ${begin}::float8 + n * ${step_s}::float8, '{"cause": "completed", "detail": ""}'
    from generate_series(1, ${runs}::int) as n`.execute(database)
  await sql`
    insert into attempts (run_id, number, body)
    select 'past-' || n, 1, jsonb_build_object('number', 1, 'state', 'ended', 'nodes', 4, 'excluded', '[]'::jsonb, 'job', n::text,
      'submittedAt', ${begin}::float8 + n, 'startedAt', ${begin}::float8 + n, 'endedAt', ${begin}::float8 + n, 'placed', '["n1", "n2", "n3", "n4"]'::jsonb,
      'outcome', '{"cause": "completed", "detail": ""}'::jsonb)
    from generate_series(1, ${runs}::int) as n`.execute(database)
  await sql`
    insert into events (stream, sequence, at, kind, actor, body, previous_hash, hash)
    select 'run/past-' || n, each, ${begin}::float8 + n, 'run-changed', 'reconciler', '{"attempt": 1, "why": "waiting for the executor"}',
      repeat(md5(n || '-' || each), 2), repeat(md5(n || '-' || each + 1), 2)
    from generate_series(1, ${runs}::int) as n, generate_series(1, 8) as each`.execute(database)
  // The latest reports are spread over the ten seconds between two of them, in the order in which the agents go on.
  await sql`
    insert into beats (run_id, attempt, node_index, node, sequence, received_at, beats, beats_at, exits, last_step)
    select 'past-' || n, 1, 0, 'n1', 100, ${begin}::float8 + n, '[]', ${begin}::float8 + n, '[]', 1000 from generate_series(1, ${runs}::int) as n`.execute(
    database,
  )
  await sql`
    insert into steps (run_id, attempt, first_step, last_step, node_index, sequence, rows)
    select 'past-' || n, 1, each, each, 0, each,
      jsonb_build_array(jsonb_build_object('step', each, 'at', ${begin}::float8 + n, 'seconds', 1, 'tokens', 4096, 'loss', 3, 'world', 32, 'phases_s', '{"compute": 1}'::jsonb))
    from generate_series(1, ${runs}::int) as n, generate_series(1, 4) as each`.execute(database)
  await sql`
    insert into checkpoints (run_id, reported_in, attempt, step, state, bytes, write_s, pause_s, at, manifest)
    select 'past-' || n, 1, 1, 2 * each, 'committed', 1e9, 2, 0.5, ${begin}::float8 + n, 'attempts/0001/open/step-00000002.json'
    from generate_series(1, ${runs}::int) as n, generate_series(1, 2) as each`.execute(database)
  await sql`
    insert into principals (id, name, role, token_hash, run_id, created_at)
    select 'run-past-' || n, 'past-' || n, 'run', encode(sha256(n::text::bytea), 'hex'), 'past-' || n, ${begin}::float8 + n
    from generate_series(1, ${runs}::int) as n`.execute(database)
  await seedBooks(database, { runs, begin, step_s })
}

type BookedRuns = { readonly runs: number; readonly begin: number; readonly step_s: number }

async function seedBooks(database: Database, { runs, begin, step_s }: BookedRuns): Promise<void> {
  await sql`
    insert into ledger_days
    select floor((${begin}::float8 + n * ${step_s}::float8) / 86400)::int, 'team-' || n % 50 % 8, 'project-' || n % 50, count(*), count(*), count(*), count(*), 0, count(*), count(*)
    from generate_series(1, ${runs}::int) as n group by 1, 2, 3`.execute(database)
  await sql`
    insert into ledger_causes
    select day, team, project, cause, runs, runs, 0, runs, runs, 0
    from ledger_days, unnest(array['queue', 'allocation', 'start', 'load', 'compute', 'exposed communication', 'bubble', 'straggler', 'data stall',
      'checkpoint', 'lost work', 'detection', 'recovery', 'smaller than planned', 'idle tail', 'other']) as cause`.execute(database)
}

/** The token of a live run: any text of the right form does, since only its hash is kept. */
export const liveToken = (number: number): string => `il_${String(number).padStart(43, '0')}`

/** Runs that have been running for an hour, all due for a look within the next seconds. */
export async function seedLive(database: Database, { runs, now }: { readonly runs: number; readonly now: number }): Promise<void> {
  const begin = now - 3600
  // As the simulated fleet of plane.ts places them: in order, eight to a node.
  const nodeOf = sql`'n' || ((n - 1) / 8 + 1)`
  await sql`
    insert into plans values ('plan-live', 'TrainingPlan', '{"kind": "TrainingPlan", "prediction": {"step_s": 1}}', ${begin}) on conflict do nothing
  `.execute(database)
  await sql`
    insert into runs (id, name, project, team, plan_id, spec, program, state, state_since_at, desired, attempt, version, created_at, created_by, wait_reason)
    select 'live-' || n, 'live-' || n, 'project-' || n % 50, 'team-' || n % 50 % 8, 'plan-live',
      '{"shape": {"nodes": 1, "processesPerNode": 1, "smaller": []}, "predicted_step_s": 1, "checkpoint_every_s": 300}',
      '{"argv": ["train.py", "--config", "large.yaml"], "directory": "/srv/train", "environment": {"DATA": "/data"}}',
      'running', ${begin}, 'run', 1, 4, ${begin}::float8 - n * 0.01, 'ada-1', ''
    from generate_series(1, ${runs}::int) as n`.execute(database)
  await sql`
    insert into attempts (run_id, number, body)
    select 'live-' || n, 1, jsonb_build_object('number', 1, 'state', 'running', 'nodes', 1, 'excluded', '[]'::jsonb,
      'submittedAt', ${begin}::float8, 'startedAt', ${begin}::float8, 'placed', jsonb_build_array(${nodeOf}),
      'members', jsonb_build_array(jsonb_build_object('allocation', 1, 'index', 0, 'node', ${nodeOf}, 'incarnation', 'i')))
    from generate_series(1, ${runs}::int) as n`.execute(database)
  await sql`
    insert into allocations (run_id, number, body)
    select 'live-' || n, 1, jsonb_build_object('number', 1, 'state', 'held', 'nodes', 1, 'excluded', '[]'::jsonb,
      'submittedAt', ${begin}::float8, 'heldAt', ${begin}::float8)
    from generate_series(1, ${runs}::int) as n`.execute(database)
  await sql`
    insert into agents (run_id, allocation, node_index, node, host, incarnation, heard_at)
    select 'live-' || n, 1, 0, ${nodeOf}, ${nodeOf}, 'i', ${begin}::float8 from generate_series(1, ${runs}::int) as n`.execute(database)
  await sql`
    insert into principals (id, name, role, token_hash, run_id, created_at)
    select 'run-live-' || n, 'live-' || n, 'run', encode(sha256(('il_' || lpad(n::text, 43, '0'))::bytea), 'hex'), 'live-' || n, ${begin}
    from generate_series(1, ${runs}::int) as n`.execute(database)
  await sql`
    insert into beats (run_id, attempt, node_index, node, sequence, received_at, beats, beats_at, exits, first_step_at, last_step, last_step_at)
    select 'live-' || n, 1, 0, 'n1', 1, told, jsonb_build_array(jsonb_build_object('node', 'n1', 'index', 0, 'host', 'n1', 'age_s', 0, 'ranks',
      '[{"rank": 0, "step": 1, "phase": "compute", "phase_age_s": 0, "alive": true}]'::jsonb)), told, '[]', told, 1, told
    from generate_series(1, ${runs}::int) as n cross join lateral (select ${now}::float8 - 10.0 + 10.0 * n / ${runs}::int as told) as reports`.execute(
    database,
  )
  await sql`
    insert into leases select 'live-' || n, ${now}::float8 + 10.0 * n / ${runs}::int, 0, 1, null from generate_series(1, ${runs}::int) as n`.execute(
    database,
  )
  await sql`vacuum analyze runs, attempts, allocations, agents, principals, beats, leases`.execute(database)
}
