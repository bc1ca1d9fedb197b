// Pages and versions of a large registry, on a real server: a hundred thousand versions and a million evaluations with IRONLAW_MILLION=1, which takes
// two minutes; a twentieth of it otherwise, where reading all evaluations or decisions for one page would still take longer than the goal.

import { type Database, NO_LIMITS, openPostgres } from '@ironlaw/store'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { apiBed, runRequest } from '../../test/api-bed.ts'
import { SERVER_ABSENT, startPrivateServer } from '../../test/postgres.ts'

const IS_FULL = process.env['IRONLAW_MILLION'] !== undefined
const MODELS = IS_FULL ? 100_000 : 5_000
const EVALUATIONS_EACH = 10
const GOAL_MS = 200
const LOOKS = IS_FULL ? 100 : 20
/** On a machine that does other work, a few of twenty looks say nothing of the registry. */
const QUANTILE = IS_FULL ? 0.95 : 0.5

/** One in a hundred is released, one in ten was never decided about, one in a thousand was refused long ago; the others are retired. */
const ANSWER = sql.raw(`case when n % 100 = 0 then 'released' when n % 1000 = 1 and n < ${MODELS / 10} then 'refused' else 'retired' end`)

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
    select 'default', ${id('evaluation', 'n')}, 'evaluation', 1, 1, 1, jsonb_build_object('model', ${id('model', `(n % ${MODELS})`)}, 'accuracy', 0.8), n, 'ada'
    from generate_series(0, ${MODELS * EVALUATIONS_EACH}::int - 1) as n`.execute(database)
  await sql`alter table decisions enable always trigger decisions_kept`.execute(database)
  await sql`
    insert into decisions select 'default', ${id('model', 'n')}, k, case k when 1 then 'released' else ${ANSWER} end, 'judgement', '{"artifacts": [], "figures": []}',
      'good', null, null, k, 'ada' from generate_series(0, ${MODELS}::int - 1) as n, generate_series(1, 2) as k where n % 10 <> 5`.execute(
    database,
  )
  await sql`analyze`.execute(database)
}

const quantileOf = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.ceil(times.length * QUANTILE) - 1] ?? 0

/** What is asked at a share of the way through all versions. */
const REQUESTS: Readonly<Record<string, (share: number) => string>> = {
  'page of 100': (share) => `?limit=100&cursor=${200 + Math.floor(share * MODELS)}`,
  'page of a name': (share) => `?limit=100&name=tiny&cursor=${200 + Math.floor(share * MODELS)}`,
  'page of released versions': (share) => `?limit=100&state=released&cursor=${200 + Math.floor(share * MODELS)}`,
  'page of candidates': (share) => `?limit=100&state=candidate&cursor=${200 + Math.floor(share * MODELS)}`,
  'page of refused versions': () => '?limit=100&state=refused',
  'page of waived versions, which there are none of': () => '?limit=100&state=waived',
  version: (share) => `/tiny@${1 + Math.floor(share * MODELS)}`,
}

test.skipIf(SERVER_ABSENT !== undefined)(
  `pages and versions of ${MODELS} are read within ${GOAL_MS} ms at quantile ${QUANTILE}`,
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
    const figures: Record<string, number> = {}
    for (const [what, pathOf] of Object.entries(REQUESTS)) {
      const times: number[] = []
      for (let look = 0; look < LOOKS; look += 1) times.push(await timed(pathOf(look / LOOKS)))
      figures[what] = Math.round(quantileOf(times))
    }
    console.log(`milliseconds at quantile ${QUANTILE}: ${JSON.stringify(figures)}`)
    await bed.close()
    await server.stop()
    expect(Object.entries(figures).filter(([, ms]) => ms >= GOAL_MS)).toEqual([])
  },
)
