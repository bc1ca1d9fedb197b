// What one run used and made, as catalogues of lineage ask for it.

import { TERMINAL_STATES } from '@ironlaw/contracts'
import type { ArtifactType } from '@ironlaw/contracts/artifact'
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { type FeedCursor, runStream } from './events.ts'
import { runOf } from './runs.ts'
import type { Run } from './tables.ts'

export type LineageArtifact = {
  readonly id: string
  readonly type: ArtifactType
  readonly bytes: number
  readonly files: number
  /** The first that ever pointed at it: unlike those that do now, it stays the same. */
  readonly name: string | null
}

export type RunLineage = {
  readonly run: Pick<Run, 'id' | 'name' | 'project' | 'plan_id'>
  /** Sequence of the first event that says it runs, or that it ended before it ever did. */
  readonly began: number | undefined
  /** Place of its last end so far; a resumed run may have several. */
  readonly ended: FeedCursor | undefined
  readonly used: readonly LineageArtifact[]
  readonly made: readonly LineageArtifact[]
}

const ENDS: readonly string[] = TERMINAL_STATES.map((state) => `run-${state}`)
const BEGINNINGS: readonly string[] = ['attempt-started', ...ENDS]

export async function lineageOfRun(database: Database, run_id: string): Promise<RunLineage | undefined> {
  const run = await runOf(database, run_id)
  if (!run) return undefined
  const events = database.selectFrom('events').where('stream', '=', runStream(run_id)).limit(1)
  const began = await events.select('sequence').where('kind', 'in', BEGINNINGS).orderBy('sequence').executeTakeFirst()
  const ended = await events.select(['transaction_id', 'feed']).where('kind', 'in', ENDS).orderBy('sequence', 'desc').executeTakeFirst()
  const { rows } = await sql<LineageArtifact & { how: 'used' | 'made' }>`
    select edge.how, artifact.id, artifact.type, artifact.bytes, artifact.files,
      (select each.name from artifact_names each where each.project = artifact.project and each.artifact_id = artifact.id
        order by each.at, each.name limit 1) as name
    from artifact_edges edge join artifacts artifact on artifact.project = edge.project and artifact.id = edge.artifact_id
    where edge.run_id = ${run_id} order by artifact.id`.execute(database)
  return {
    run,
    began: began?.sequence,
    ended,
    used: rows.filter(({ how }) => how === 'used'),
    made: rows.filter(({ how }) => how === 'made'),
  }
}
