// A card of a version, from what the registry knows and from the small files of the artifacts that it names.

import type { CardDocument, CardFormat } from '@ironlaw/contracts/card'
import { EVALUATION } from '@ironlaw/contracts/evaluation'
import type { ModelView } from '@ironlaw/contracts/model-registry'
import { MODEL_VERSION, MODEL_VERSION_FILE, type ModelVersion } from '@ironlaw/contracts/model-version'
import { type CardEvaluation, type CardSources, modelCard, renderCard } from '@ironlaw/exporters/cards'
import { type Artifact, datasetsUsed, findArtifact } from '@ironlaw/store'
import { artifactJson } from '../artifacts/artifact-json.ts'
import { artifactViews } from '../artifacts/artifact-views.ts'
import type { SiteArtifacts } from '../artifacts/site-artifacts.ts'
import type { ApiPorts } from '../http/ports.ts'
import { modelView } from './model-views.ts'

/** The newest. Each is a file of the storage. */
const MOST_EVALUATIONS = 20

type CardPorts = Pick<ApiPorts, 'database' | 'artifacts' | 'now'>

export async function modelCardView(ports: CardPorts, model: Artifact, format: CardFormat): Promise<CardDocument> {
  const { database, artifacts, now } = ports
  const at = now()
  const view = await modelView(database, model, at)
  const [record, evaluations, datasets] = await Promise.all([
    model.removed_at === null ? recordOf(artifacts, model.id) : undefined,
    evaluationsRead(artifacts, view.evaluations.slice(0, MOST_EVALUATIONS)),
    datasetsOf(ports, model),
  ])
  return renderCard(
    modelCard({
      id: view.id,
      names: view.names,
      state: view.state,
      ...(view.uncommitted && { uncommitted: true }),
      bytes: view.bytes,
      added: { at: view.created_at, by: view.created_by },
      stated: view.facts,
      statedIn: 'stated with the artifact',
      known: view.known,
      missing: view.missing,
      evaluations,
      unread: Math.max(0, view.evaluations.length - MOST_EVALUATIONS),
      datasets,
      decisions: view.decisions,
      ...(record && { record }),
      at,
    }),
    format,
  )
}

async function recordOf(artifacts: SiteArtifacts, id: string): Promise<ModelVersion | undefined> {
  return MODEL_VERSION.safeParse(await artifactJson(artifacts, id, MODEL_VERSION_FILE)).data
}

async function evaluationsRead(artifacts: SiteArtifacts, evaluations: ModelView['evaluations']): Promise<readonly CardEvaluation[]> {
  const read: CardEvaluation[] = []
  // One after the other: the storage serves others too.
  for (const { id, names } of evaluations) {
    const { data } = EVALUATION.safeParse(await artifactJson(artifacts, id, 'evaluation.json'))
    read.push({ id, name: names[0] ?? id.slice(0, 12), ...(data && { document: data }) })
  }
  return read
}

/** That the run which made it used. */
async function datasetsOf({ database }: CardPorts, { project, made_by }: Artifact): Promise<CardSources['datasets']> {
  if (made_by === null) return []
  const ids = (await datasetsUsed(database, [made_by])).get(made_by) ?? []
  const found = await Promise.all(ids.map((id) => findArtifact(database, project, id)))
  const rows = found.flatMap((answer) => (answer.found === 'one' ? [answer.artifact] : []))
  return (await artifactViews(database, project, rows)).map(({ id, names, bytes }) => ({ id, names, bytes }))
}
