// The version that a replica is to serve, brought from the storage of artifacts to where its engine expects it. Replicas of several nodes may do so at
// once: each writes beside the place, and the first to finish gets the name.

import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { openArtifacts, openStorage, readManifest, restore } from '@ironlaw/artifacts'

type VersionSource = {
  /** Id of its artifact. */
  readonly version: string | undefined
  readonly storage: string | undefined
}

/** Whether it had to. Without a version or a storage, and where something is at the path, nothing is done: what is there is verified when it is opened. */
export async function restoreVersion(path: string, { version, storage }: VersionSource): Promise<boolean> {
  if (version === undefined || storage === undefined || existsSync(path)) return false
  const artifacts = await openArtifacts(openStorage(storage))
  const partial = `${path}.restored-${randomUUID()}`
  try {
    await restore(artifacts, await readManifest(artifacts, version), { to: partial })
    await rename(partial, path)
  } catch (cause) {
    await rm(partial, { recursive: true, force: true })
    // Another replica may have been faster.
    if (!existsSync(path)) throw cause
  }
  return true
}
