// Drills of the way back, as events of their deployment.

import { sql } from 'kysely'
import type { Database } from './database.ts'
import { deploymentStream } from './deployments.ts'
import type { Event } from './tables.ts'

export const DRILL_EVENT = 'way-back-drilled'

/** The last of each tier. The kind is part of the text of the query, as the index has it. */
export async function lastDrills(database: Database, deployment_id: string): Promise<readonly Pick<Event, 'at' | 'actor' | 'body'>[]> {
  const { rows } = await sql<Pick<Event, 'at' | 'actor' | 'body'>>`
    select distinct on (body ->> 'tier') at, actor, body from events
    where stream = ${deploymentStream(deployment_id)} and kind = ${sql.lit(DRILL_EVENT)}
    order by body ->> 'tier', sequence desc`.execute(database)
  return rows
}
