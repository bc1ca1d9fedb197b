// What attempts run in, as agents report it: kept by node, with lists of packages by their digest. A report is untrusted: what is malformed is
// not kept, and of one node only a few.

import { canonicalJson } from '@ironlaw/contracts'
import { type NodeEnvironment, type Packages, REPORTED_ENVIRONMENT } from '@ironlaw/contracts/run-origin'
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import * as z from 'zod'
import type { Database } from './database.ts'
import { jsonText } from './json-text.ts'
import type { RunEnvironmentRow } from './tables.ts'

/** Nodes of the largest runs, and what a hostile program may fill. */
const MOST_NODES = 16_384

const SENT_BY = z.object({
  index: z
    .int()
    .nonnegative()
    .max(MOST_NODES - 1),
  node: z.string().max(255),
})

export type FoundEnvironment = {
  readonly node_index: number
  readonly node: string
  readonly body: NodeEnvironment
  readonly packages?: Packages
  readonly packages_digest?: string
}

/** Undefined where the detail of a note is no environment. The digest is that of the list wherever there is one. */
export function environmentIn(detail: unknown): FoundEnvironment | undefined {
  const sender = SENT_BY.safeParse(detail)
  const read = REPORTED_ENVIRONMENT.safeParse(detail)
  if (!sender.success || !read.success) return undefined
  const { packages, packages_digest, ...body } = read.data
  const digest = packages ? hash('sha256', canonicalJson(packages)) : packages_digest
  return {
    node_index: sender.data.index,
    node: sender.data.node,
    body,
    ...(packages && { packages }),
    ...(digest !== undefined && { packages_digest: digest }),
  }
}

/** An agent looks at most four times in an attempt. */
const MOST_SENT = 8

type EnvironmentOf = { readonly run_id: string; readonly attempt: number; readonly at: number }

export async function recordEnvironments(database: Database, of: EnvironmentOf, all: readonly FoundEnvironment[]): Promise<void> {
  for (const { packages, packages_digest = null, ...found } of all) {
    const row = { ...of, ...found, body: jsonText(found.body), packages: packages_digest }
    const taken = await database
      .insertInto('run_environments')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(['run_id', 'attempt', 'node_index'])
          .doUpdateSet({ node: row.node, body: row.body, packages: row.packages, at: row.at, sent: sql`run_environments.sent + 1` })
          .where('run_environments.sent', '<', MOST_SENT),
      )
      .returning('run_id')
      .executeTakeFirst()
    if (!taken || !packages || packages_digest === null) continue
    await database
      .insertInto('package_lists')
      .values({ digest: packages_digest, packages: jsonText(packages) })
      .onConflict((conflict) => conflict.column('digest').doNothing())
      .execute()
  }
}

/** The environment that counts for each run: that of the first node of the last attempt that reported one. */
export async function environmentsOf(database: Database, run_ids: readonly string[]): Promise<ReadonlyMap<string, RunEnvironmentRow>> {
  if (run_ids.length === 0) return new Map()
  const { rows } = await sql<RunEnvironmentRow>`
    select found.* from unnest(${run_ids}::text[]) as run (id) cross join lateral (
      select * from run_environments where run_id = run.id order by attempt desc, node_index limit 1
    ) found`.execute(database)
  return new Map(rows.map((row) => [row.run_id, row]))
}

/** Of all nodes and attempts, the latest attempts first. */
export const environmentsOfRun = (database: Database, run_id: string, limit: number): Promise<readonly RunEnvironmentRow[]> =>
  database
    .selectFrom('run_environments')
    .selectAll()
    .where('run_id', '=', run_id)
    .orderBy('attempt', 'desc')
    .orderBy('node_index')
    .limit(limit)
    .execute()

export async function packageList(database: Database, digest: string): Promise<Packages | undefined> {
  const row = await database.selectFrom('package_lists').select('packages').where('digest', '=', digest).executeTakeFirst()
  return row?.packages
}
