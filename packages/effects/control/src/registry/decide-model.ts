// A decision about a version, checked and recorded.

import { hash } from 'node:crypto'
import { canonicalJson, IronlawError, type Json, type ProjectRole } from '@ironlaw/contracts'
import { type Decide, type Decision, DECISION, type ModelSummary } from '@ironlaw/contracts/model-registry'
import { HOW_TO_STATE, needsFacts } from '@ironlaw/policies/release'
import { addDecision, type Artifact, type Database, type DecisionRow, decisionsOf, type RemovedBasis, runOnce } from '@ironlaw/store'
import { requireArtifact } from '../artifacts/artifact-views.ts'
import { requireApprovals } from './approvals.ts'
import { decisionView, modelSummaries, requireModel } from './model-views.ts'

type DecideOptions = {
  readonly project: string
  readonly reference: string
  readonly actor: string
  readonly at: number
  /** That the actor has in the project. */
  readonly role: ProjectRole | undefined
  /** Of the request; the same key with the same request is one decision. */
  readonly key?: string
}

/** A waiver that does not end is a release. */
const LONGEST_WAIVER_S = 366 * 86_400

export async function decideModel(database: Database, wanted: Decide, { key, ...options }: DecideOptions): Promise<Decision> {
  const { project, reference, actor, at } = options
  if (wanted.answer === 'waived') checkEnd(wanted.until_at, at)
  const decide = (transaction: Database) => recordDecision(transaction, wanted, options)
  if (key === undefined) return database.transaction().execute(decide)
  const request: Json = { project, reference, wanted: JSON.parse(JSON.stringify(wanted)) }
  const keyed = { principal: actor, key, request_hash: hash('sha256', canonicalJson(request)), at }
  const done = await runOnce(database, keyed, async (transaction) => ({ status: 201, body: await decide(transaction) }))
  if (done.kind !== 'mismatch') return DECISION.parse(done.answer.body)
  throw new IronlawError('IL_CONFLICT', {
    problem: `the idempotency key "${key}" was used for another request`,
    next: 'use a new key for a new request',
  })
}

function checkEnd(until_at: number, now: number): void {
  const problem =
    until_at <= now ? 'this time has passed' : until_at > now + LONGEST_WAIVER_S ? 'this is more than a year ahead' : undefined
  if (problem !== undefined) throw new IronlawError('IL_INVALID', { path: 'body.until_at', problem })
}

async function recordDecision(
  database: Database,
  { evidence, ...wanted }: Decide,
  { project, reference, actor, at, role }: Omit<DecideOptions, 'key'>,
): Promise<Decision> {
  const model = await requireModel(database, project, reference)
  if (needsFacts(wanted.answer)) {
    const [summary] = await modelSummaries(database, [model], { project, now: at })
    if (summary) requireFacts(summary)
    await requireSeen(database, model, wanted.seen)
    await requireApprovals(database, model, { name: summary?.names[0] ?? model.id, releaser: actor, at })
  }
  const artifacts: string[] = []
  for (const each of evidence.artifacts) artifacts.push((await requireArtifact(database, project, each)).id)
  const decision = {
    ...wanted,
    project,
    artifact_id: model.id,
    evidence: { ...evidence, artifacts },
    ...(wanted.answer === 'approved' && role !== undefined && { role }),
  }
  const answer = await addDecision(database, decision, { actor, at })
  if (answer === 'unknown') throw new IronlawError('IL_NOT_FOUND', { kind: 'model', id: model.id })
  if (answer === 'removed')
    throw new IronlawError('IL_CONFLICT', { problem: `the content of ${model.id} was removed`, next: 'add it again first' })
  if ('removed' in answer) throw removedBasis(model, answer)
  if ('newest' in answer) throw unseenDecision(model, answer.newest)
  return decisionView(answer)
}

/** Before approvals are counted: a refusal after them would be one that nobody has seen, and `addDecision` refuses any that comes later. */
async function requireSeen(database: Database, model: Artifact, seen: number): Promise<void> {
  const [newest] = await decisionsOf(database, { project: model.project, artifact_id: model.id }, 1)
  if ((newest?.number ?? 0) !== seen) throw unseenDecision(model, newest)
}

function requireFacts({ id, lacks, names }: ModelSummary): void {
  if (lacks.length === 0) return
  throw new IronlawError('IL_CONFLICT', {
    problem: `${names[0] ?? id} cannot be released: it lacks ${lacks.join(', ')}`,
    next: `state what is missing, which makes a new version:${lacks.map((fact) => `\n    ${fact}: ${HOW_TO_STATE[fact]}`).join('')}`,
  })
}

const removedBasis = ({ id }: Artifact, { removed, as }: RemovedBasis): IronlawError =>
  new IronlawError('IL_CONFLICT', {
    problem: `${id} cannot be released: the content of ${removed}, ${as === 'input' ? 'which its run used' : 'its evidence'}, was removed`,
    next: as === 'input' ? 'add it again first' : 'add it again first, or name other evidence',
  })

const unseenDecision = ({ id }: Artifact, newest: DecisionRow | undefined): IronlawError =>
  new IronlawError('IL_CONFLICT', {
    problem: newest
      ? `${newest.by} decided about ${id} meanwhile: ${newest.answer}, "${newest.why}" (decision ${newest.number})`
      : `nothing was decided about ${id} so far, and the request has seen a decision`,
    next: newest ? `read it, and decide again with "seen": ${newest.number}` : 'decide again with "seen": 0',
  })
