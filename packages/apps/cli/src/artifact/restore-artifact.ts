// `ironlaw artifact restore` and `verify`: straight from the storage.

import { restore, verify } from '@ironlaw/artifacts'
import type { CommandAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { progressLine } from '../progress.ts'
import { siteArtifacts } from './add-artifact.ts'
import { megabytes, shortId, sizeText } from './artifacts.ts'

type RestoreFlags = { readonly project: string; readonly to: string }

export async function restoreArtifact(artifact: string, { project, to }: RestoreFlags): Promise<CommandAnswer> {
  const { found, manifest } = await manifestOf(artifact, project)
  const line = progressLine('MB written')
  await restore(await siteArtifacts(), manifest, { to, onProgress: megabytes(line) })
  line.clear()
  return {
    json: { artifact: found.id, to },
    text: () =>
      `${shortId(found.id)} is in ${to}: ${sizeText(found.bytes)} in ${found.files.toLocaleString('en')} files, every byte verified`,
  }
}

export async function verifyArtifact(artifact: string, project: string): Promise<CommandAnswer> {
  const { found, manifest } = await manifestOf(artifact, project)
  const line = progressLine('MB read')
  await verify(await siteArtifacts(), manifest, { onProgress: megabytes(line) })
  line.clear()
  return { json: { artifact: found.id, intact: true }, text: () => `${shortId(found.id)} is intact: ${sizeText(found.bytes)} verified` }
}

async function manifestOf(artifact: string, project: string) {
  const [found, manifest] = await Promise.all([
    api(context()).getArtifact({ project, artifact }),
    api(context()).getArtifactManifest({ project, artifact }),
  ])
  return { found, manifest }
}
