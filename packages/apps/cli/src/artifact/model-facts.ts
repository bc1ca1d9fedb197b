// What the record beside an exported model says of its origin, as facts of the artifact that it becomes.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { IronlawError } from '@ironlaw/contracts'
import type { ArtifactManifest } from '@ironlaw/contracts/artifact'
import { MODEL_VERSION, MODEL_VERSION_FILE } from '@ironlaw/contracts/model-version'
import { exportedFacts } from '@ironlaw/policies/release'
import { api, find } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { readDocument } from '../input-file.ts'

type ModelFacts = { readonly facts: ArtifactManifest['facts']; readonly run: string | undefined }

type ModelFlags = { readonly project: string; readonly run?: string }

/** What was stated counts before what the record says. The run of the record made it where the project has that run. */
export async function modelFacts(path: string, stated: ArtifactManifest['facts'], { project, run }: ModelFlags): Promise<ModelFacts> {
  const file = join(path, MODEL_VERSION_FILE)
  if (!existsSync(file)) return { facts: stated, run }
  const read = MODEL_VERSION.safeParse(readDocument(file))
  if (!read.success) {
    const [issue] = read.error.issues
    throw new IronlawError('IL_DOCUMENT', {
      path: file,
      reason: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not a record of a model'}`,
    })
  }
  const facts = { ...exportedFacts(read.data), ...stated }
  const { run: recorded } = read.data.lineage
  return { facts, run: run ?? (recorded == null ? undefined : await runOfProject(recorded, project)) }
}

async function runOfProject(id: string, project: string): Promise<string | undefined> {
  const found = await find(api(context()).getRun({ id }))
  return found?.project === project ? found.id : undefined
}
