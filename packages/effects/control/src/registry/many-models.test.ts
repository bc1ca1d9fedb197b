// The registry with a hundred thousand versions and a million evaluations, on a real server. Making them takes minutes, so it runs only where
// IRONLAW_MILLION is set.

import { type Database, NO_LIMITS, openPostgres } from '@ironlaw/store'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { apiBed, runRequest } from '../../test/api-bed.ts'
import { SERVER_ABSENT, startPrivateServer } from '../../test/postgres.ts'

const MODELS = 100_000
const EVALUATIONS_EACH = 10
const GOAL_MS = 200
const LOOKS = 100

/** Each model of one of ten thousand runs, which used one dataset; two decisions about each, and ten evaluations. */
async function fillRegistry(database: Database, template: string): Promise<void> {
  const id = (kind: string, number: string) => sql.raw(`'art-' || md5('${kind}' || ${number}) || md5('${kind}' || ${number})`)
  await sql`set session_replication_role = replica`.execute(database)
  await sql`
    insert into runs (id, name, project, plan_id, spec, program, state, state_since_at, desired, attempt, version, created_at, created_by, ended_at)
    select 'run-' || n, 'run', project, plan_id, spec, program, 'succeeded', n, 'run', 0, 1, n, 'ada', n
    from runs, generate_series(0, ${MODELS / 10}::int - 1) as n where id = ${template}`.execute(database)
  await sql`
    insert into artifacts (project, id, type, bytes, files, leaves, facts, created_at, created_by)
    select 'default', ${id('data', 'n')}, 'dataset', 1, 1, 1, '{}', n, 'ada' from generate_series(0, 99) as n`.execute(database)
  await sql`
    insert into artifact_edges select 'run-' || n, 'default', ${id('data', '(n % 100)')}, 'used', 0 from generate_series(0, ${MODELS / 10}::int - 1) as n`.execute(
    database,
  )
  await sql`
    insert into artifacts (project, id, type, bytes, files, leaves, facts, made_by, created_at, created_by)
    select 'default', ${id('model', 'n')}, 'model', n, 1, 1, '{"code": "f00"}', 'run-' || n / 10, n, 'ada'
    from generate_series(0, ${MODELS}::int - 1) as n`.execute(database)
  await sql`
    insert into artifact_names select 'default', 'tiny', n + 1, ${id('model', 'n')}, n, 'ada' from generate_series(0, ${MODELS}::int - 1) as n`.execute(
    database,
  )
  await sql`
    insert into artifacts (project, id, type, bytes, files, leaves, facts, created_at, created_by)
    select 'default', ${id('evaluation', 'n')}, 'evaluation', 1, 1, 1, jsonb_build_object('model', ${id('model', '(n % 100000)')}, 'accuracy', 0.8), n, 'ada'
    from generate_series(0, ${MODELS * EVALUATIONS_EACH}::int - 1) as n`.execute(database)
  await sql`
    insert into decisions select 'default', ${id('model', 'n')}, k, case k when 1 then 'released' else 'retired' end, 'judgement', '{"artifacts": [], "figures": []}',
      'good', null, null, k, 'ada' from generate_series(0, ${MODELS}::int - 1) as n, generate_series(1, 2) as k`.execute(database)
  await sql`analyze`.execute(database)
}

const p95 = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1] ?? 0

test.skipIf(!process.env['IRONLAW_MILLION'] || SERVER_ABSENT !== undefined)(
  `pages and versions of ${MODELS} are read within ${GOAL_MS} ms at the 95th percentile`,
  { timeout: 1_800_000 },
  async () => {
    const server = await startPrivateServer()
    const bed = await apiBed({ database: openPostgres(server.url, { max: 4, limits: NO_LIMITS }), now: () => Date.now() / 1000 })
    const { json: run } = await bed.call({ method: 'POST', url: '/v1/runs', as: bed.tokens.operator, body: runRequest() })
    await bed.database.connection().execute((database) => fillRegistry(database, run.id))
    const timed = async (path: string): Promise<number> => {
      const begun = performance.now()
      const { status } = await bed.call({ method: 'GET', url: `/v1/projects/default/models${path}`, as: bed.tokens.viewer })
      expect([path, status]).toEqual([path, 200])
      return performance.now() - begun
    }
    const pages: number[] = []
    const versions: number[] = []
    for (let look = 0; look < LOOKS; look += 1) {
      pages.push(await timed(`?limit=100&cursor=${200 + Math.floor((look / LOOKS) * MODELS)}`))
      versions.push(await timed(`/tiny@${1 + Math.floor((look / LOOKS) * MODELS)}`))
    }
    console.log(`95th percentile: page of 100 ${p95(pages).toFixed(0)} ms, version ${p95(versions).toFixed(0)} ms`)
    await bed.close()
    await server.stop()
    expect(p95(pages)).toBeLessThan(GOAL_MS)
    expect(p95(versions)).toBeLessThan(GOAL_MS)
  },
)
