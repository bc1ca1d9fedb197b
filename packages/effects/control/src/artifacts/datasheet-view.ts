// A datasheet of a dataset, from its own files, its facts, and what came of it.

import { IronlawError } from '@ironlaw/contracts'
import { foldersWith } from '@ironlaw/contracts/artifact'
import type { CardDocument } from '@ironlaw/contracts/card'
import { FIGURES_FILE, parseDataFigures, parseDataSources, SOURCES_FILE } from '@ironlaw/contracts/data-figures'
import { datasheet, type DatasheetPart } from '@ironlaw/exporters/cards'
import type { Artifact } from '@ironlaw/store'
import type { ApiPorts } from '../http/ports.ts'
import { artifactJson } from './artifact-json.ts'
import { artifactView, traceView } from './artifact-views.ts'
import type { SiteArtifacts } from './site-artifacts.ts'

/** Of a dataset that was put together from others. */
const MOST_PARTS = 20

type DatasheetPorts = Pick<ApiPorts, 'database' | 'artifacts' | 'now'>

export async function datasheetView({ database, artifacts, now }: DatasheetPorts, artifact: Artifact): Promise<CardDocument> {
  const { project, id, type } = artifact
  if (type !== 'dataset')
    throw new IronlawError('IL_CONFLICT', {
      problem: `artifact ${id} is of type ${type}, not a dataset`,
      next: 'name a dataset: "ironlaw get artifacts" lists them',
    })
  const [view, trace, parts] = await Promise.all([
    artifactView(database, artifact),
    traceView(database, { project, reference: id, direction: 'down' }),
    artifact.removed_at === null ? partsOf(artifacts, id) : [],
  ])
  return datasheet({
    id,
    names: view.names,
    bytes: view.bytes,
    files: view.files,
    added: { at: view.created_at, by: view.created_by },
    ...(view.made_by !== undefined && { madeBy: view.made_by }),
    facts: view.facts,
    parts,
    uses: {
      runs: trace.runs.map((run) => ({ id: run.id, name: run.name, state: run.state })),
      models: trace.artifacts.filter((each) => each.type === 'model').map((each) => ({ id: each.id, names: each.names })),
      truncated: trace.truncated,
    },
    at: now(),
  })
}

async function partsOf(artifacts: SiteArtifacts, id: string): Promise<readonly DatasheetPart[]> {
  const { files } = await artifacts.manifest(id)
  const parts: DatasheetPart[] = []
  // One after the other: the storage serves others too.
  for (const folder of foldersWith(files, FIGURES_FILE).slice(0, MOST_PARTS)) {
    const figures = await readable(artifacts, { id, path: `${folder}${FIGURES_FILE}`, parse: parseDataFigures })
    const sources = await readable(artifacts, { id, path: `${folder}${SOURCES_FILE}`, parse: parseDataSources })
    parts.push({ folder, ...(figures && { figures }), ...(sources && { sources }) })
  }
  return parts
}

type Readable<T> = { readonly id: string; readonly path: string; readonly parse: (value: unknown, file: string) => T }

/** Whoever adds an artifact may call any file by these names. */
async function readable<T>(artifacts: SiteArtifacts, { id, path, parse }: Readable<T>): Promise<T | undefined> {
  const value = await artifactJson(artifacts, id, path)
  try {
    return value === undefined ? undefined : parse(value, path)
  } catch (cause) {
    if (cause instanceof IronlawError) return undefined
    throw cause
  }
}
