// Artifacts as the API shows them, and how a request names one.

import { IronlawError } from '@ironlaw/contracts'
import type { ArtifactNameView, ArtifactRegistration, ArtifactTrace, ArtifactView } from '@ironlaw/contracts/artifact-operations'
import { type Artifact, type ArtifactName, currentNames, type Database, findArtifact, runOf, traceLineage } from '@ironlaw/store'
import type { Registered } from './register-objects.ts'

export async function artifactViews(database: Database, project: string, artifacts: readonly Artifact[]): Promise<ArtifactView[]> {
  const names = await currentNames(
    database,
    project,
    artifacts.map(({ id }) => id),
  )
  return artifacts.map(({ id, type, bytes, files, leaves, facts, made_by, created_at, created_by, removed_at }) => ({
    id,
    project,
    type,
    bytes,
    files,
    leaves,
    facts: facts as ArtifactView['facts'],
    names: [...(names.get(id) ?? [])],
    ...(made_by !== null && { made_by }),
    created_at,
    created_by,
    ...(removed_at !== null && { removed_at }),
  }))
}

export async function artifactView(database: Database, artifact: Artifact): Promise<ArtifactView> {
  const [view] = await artifactViews(database, artifact.project, [artifact])
  if (!view) throw new IronlawError('IL_UNEXPECTED', { reason: `artifact ${artifact.id} has no view` })
  return view
}

export const nameView = ({ name, version, artifact_id, at, by }: ArtifactName): ArtifactNameView => ({
  name,
  version,
  artifact: artifact_id,
  at,
  by,
})

export const registrationView = async (database: Database, answer: Registered): Promise<ArtifactRegistration> =>
  answer.state === 'missing'
    ? { state: 'missing', keys: [...answer.keys] }
    : { state: 'registered', artifact: await artifactView(database, answer.artifact) }

export async function requireArtifact(database: Database, project: string, reference: string): Promise<Artifact> {
  const answer = await findArtifact(database, project, reference)
  if (answer.found === 'one') return answer.artifact
  if (answer.found === 'none') throw new IronlawError('IL_NOT_FOUND', { kind: 'artifact', id: reference })
  throw new IronlawError('IL_CONFLICT', {
    problem: `several artifacts of project ${project} begin with ${reference}: ${answer.ids.join(', ')}`,
    next: 'give more characters of the id',
  })
}

type TraceRequest = { readonly project: string; readonly reference: string; readonly direction: 'up' | 'down' }

/** From an artifact, or from the run with that id. */
export async function traceView(database: Database, { project, reference, direction }: TraceRequest): Promise<ArtifactTrace> {
  const run = await runOf(database, reference)
  const start = run?.project === project ? { run: run.id } : { artifact: (await requireArtifact(database, project, reference)).id }
  const { artifacts, runs, edges, truncated } = await traceLineage(database, { project, direction, ...start })
  const names = await currentNames(
    database,
    project,
    artifacts.map(({ id }) => id),
  )
  return {
    from: start.run ?? start.artifact ?? '',
    artifacts: artifacts.map(({ removed_at, ...artifact }) => ({
      ...artifact,
      names: [...(names.get(artifact.id) ?? [])],
      ...(removed_at !== null && { removed_at }),
    })),
    runs: [...runs],
    edges: [...edges],
    truncated,
  }
}
