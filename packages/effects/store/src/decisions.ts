// What was decided about versions of models. A decision is a row and an event of the project's artifacts, in one transaction; neither ever changes.

import type { ProjectRole } from '@ironlaw/contracts'
import type { DecisionAnswer } from '@ironlaw/contracts/model-registry'
import { type Selectable, sql } from 'kysely'
import { lockKept, removedBasis, type RemovedBasis } from './artifact-keepers.ts'
import { type ArtifactAuthor, artifactsStream } from './artifacts.ts'
import { type Database, inTransaction } from './database.ts'
import { appendEvents } from './events.ts'
import { jsonText } from './json-text.ts'
import type { Decisions } from './tables.ts'

export type DecisionRow = Selectable<Decisions>

export type NewDecision = Pick<DecisionRow, 'project' | 'artifact_id' | 'answer' | 'rule' | 'evidence' | 'why'> & {
  readonly otherwise?: string
  readonly until_at?: number
  /** Of an approval. */
  readonly role?: ProjectRole
  /** Number of the newest decision that the decider has seen. */
  readonly seen: number
}

/** 'removed': its content may be gone. `newest`: the decider has not seen it. `removed`: a release would rest on it. */
type DecisionRefusal = 'unknown' | 'removed' | { readonly newest: DecisionRow | undefined } | RemovedBasis

/** One after the other for a version: the row of the artifact is locked. */
export function addDecision(
  database: Database,
  { seen, ...decision }: NewDecision,
  { actor, at }: ArtifactAuthor,
): Promise<DecisionRow | DecisionRefusal> {
  const { project, artifact_id } = decision
  const requiresContent = REQUIRES_CONTENT.has(decision.answer)
  return inTransaction(database, async (transaction) => {
    await lockKept(transaction, project)
    const artifact = await transaction
      .selectFrom('artifacts')
      .select('removed_at')
      .where('project', '=', project)
      .where('id', '=', artifact_id)
      .forUpdate()
      .executeTakeFirst()
    if (!artifact) return 'unknown'
    if (artifact.removed_at !== null && requiresContent) return 'removed'
    const basis = { project, id: artifact_id, evidence: decision.evidence.artifacts }
    const removed = requiresContent ? await removedBasis(transaction, basis) : undefined
    if (removed) return removed
    const newest = await ofVersion(transaction, { project, artifact_id }).limit(1).executeTakeFirst()
    const last = newest?.number ?? 0
    if (last !== seen) return { newest }
    const number = last + 1
    const row = { role: null, ...decision, number, evidence: jsonText(decision.evidence), at, by: actor }
    const stored = await transaction.insertInto('decisions').values(row).returningAll().executeTakeFirstOrThrow()
    const { project: _, artifact_id: artifactId, ...body } = { ...decision, number }
    await appendEvents(transaction, artifactsStream(project), [
      { kind: 'decision-made', actor, at, body: { artifact: artifactId, ...body } },
    ])
    return stored
  })
}

const REQUIRES_CONTENT: ReadonlySet<DecisionAnswer> = new Set<DecisionAnswer>(['released', 'waived'])

type DecidedVersion = { readonly project: string; readonly artifact_id: string }

const ofVersion = (database: Database, { project, artifact_id }: DecidedVersion) =>
  database
    .selectFrom('decisions')
    .selectAll()
    .where('project', '=', project)
    .where('artifact_id', '=', artifact_id)
    .orderBy('number', 'desc')

/** Newest first. */
export const decisionsOf = (database: Database, version: DecidedVersion, limit: number): Promise<readonly DecisionRow[]> =>
  ofVersion(database, version).limit(limit).execute()

/** The newest approval of each who approved, after the last refusal and retirement. */
export async function standingApprovals(database: Database, { project, artifact_id }: DecidedVersion): Promise<readonly DecisionRow[]> {
  const { rows } = await sql<DecisionRow>`
    select distinct on ("by") * from decisions
    where project = ${project} and artifact_id = ${artifact_id} and answer = 'approved' and number > coalesce((
      select max(number) from decisions where project = ${project} and artifact_id = ${artifact_id} and answer in ('refused', 'retired')), 0)
    order by "by", number desc`.execute(database)
  return rows.toSorted((a, b) => a.number - b.number)
}

/** All of several versions, by artifact, in their order. */
export async function decisionsOfVersions(
  database: Database,
  project: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly DecisionRow[]>> {
  const { rows } = await sql<DecisionRow>`
    select * from decisions where project = ${project} and artifact_id = any (${ids}::text[]) order by artifact_id, number`.execute(
    database,
  )
  return Map.groupBy(rows, ({ artifact_id }) => artifact_id)
}

/** The newest decision of each kind, by artifact. */
export async function newestDecisions(
  database: Database,
  project: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly DecisionRow[]>> {
  const { rows } = await sql<DecisionRow>`
    select distinct on (artifact_id, answer) * from decisions
    where project = ${project} and artifact_id = any (${ids}::text[]) order by artifact_id, answer, number desc`.execute(database)
  return Map.groupBy(rows, ({ artifact_id }) => artifact_id)
}
