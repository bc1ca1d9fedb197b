// `ironlaw artifact restore` and `verify`: straight from the storage.

import { type Damage, restore, verify } from '@ironlaw/artifacts'
import { counted } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { progressLine } from '../progress.ts'
import { table } from '../table.ts'
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
    text: () => `${shortId(found.id)} is in ${to}: ${sizeText(found.bytes)} in ${counted(found.files, 'file')}, every byte verified`,
  }
}

export async function verifyArtifact(artifact: string, project: string): Promise<CommandAnswer> {
  const { found, manifest } = await manifestOf(artifact, project)
  const line = progressLine('MB read')
  const damages: Damage[] = []
  for await (const damage of verify(await siteArtifacts(), manifest, { onProgress: megabytes(line) })) damages.push(damage)
  line.clear()
  const [first] = damages
  if (!first)
    return { json: { artifact: found.id, damages }, text: () => `${shortId(found.id)} is intact: ${sizeText(found.bytes)} verified` }
  return {
    json: { artifact: found.id, damages },
    text: () =>
      table(
        ['FILE', 'OBJECT', ''],
        damages.map(({ path, key, problem }) => [path, key, problem]),
      ),
    exit: 3,
    violation: {
      problem: `${counted(damages.length, 'object')} of ${shortId(found.id)} ${damages.length === 1 ? 'is' : 'are'} not what was stored; the first is of ${first.path}`,
      next: 'restore these objects from a backup of the storage, or remove them there and add the same files again',
    },
  }
}

async function manifestOf(artifact: string, project: string) {
  const [found, manifest] = await Promise.all([
    api(context()).getArtifact({ project, artifact }),
    api(context()).getArtifactManifest({ project, artifact }),
  ])
  return { found, manifest }
}
