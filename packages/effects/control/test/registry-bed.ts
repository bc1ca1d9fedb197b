// Artifacts of the default project, put into the storage of an API bed and registered.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { addFiles, openArtifacts, openStorage } from '@ironlaw/artifacts'
import { artifactId, type ArtifactManifest, type ArtifactType } from '@ironlaw/contracts/artifact'
import type { ApiAnswer, ApiBed } from './api-bed.ts'

type NewArtifact = {
  readonly type: ArtifactType
  readonly facts?: ArtifactManifest['facts']
  readonly run?: string
  /** By path; one with a text of its own when absent. */
  readonly files?: Readonly<Record<string, string>>
}

export type RegistryBed = {
  /** Gives the id. */
  readonly add: (name: string, artifact: NewArtifact) => Promise<string>
  readonly ask: (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => Promise<ApiAnswer>
  readonly close: () => void
}

export async function registryBed(bed: ApiBed): Promise<RegistryBed> {
  const folder = mkdtempSync(join(tmpdir(), 'ironlaw-registry-'))
  const { url } = (await bed.call({ method: 'GET', url: '/v1/artifact-storage', as: bed.tokens.viewer })).json
  const ask: RegistryBed['ask'] = (method, path, body) =>
    bed.call({ method, url: `/v1/projects/default${path}`, as: bed.tokens.operator, ...(body && { body }) })
  let added = 0
  return {
    ask,
    add: async (name, { type, facts = {}, run, files }) => {
      const directory = join(folder, String((added += 1)))
      for (const [path, text] of Object.entries(files ?? { 'content.txt': `${name} ${added}\n` })) {
        mkdirSync(dirname(join(directory, path)), { recursive: true })
        writeFileSync(join(directory, path), text)
      }
      const manifest = await addFiles(await openArtifacts(openStorage(url)), { directory, type, facts })
      const { json } = await ask('POST', '/artifacts', { manifest, name, ...(run !== undefined && { made_by: run }) })
      if (json.state !== 'registered') throw new Error(`${name} is not registered: ${JSON.stringify(json)}`)
      return artifactId(manifest)
    },
    close: () => rmSync(folder, { recursive: true }),
  }
}
