// The version that a revision names: it must be there, released where the deployment requires it, and say the digests of its files.

import { hash } from 'node:crypto'
import { IronlawError, type Revision } from '@ironlaw/contracts'
import type { DeploymentSpec, NewRevision } from '@ironlaw/contracts/deployment-api'
import { MODEL_VERSION_FILE, VERSION_PLACE } from '@ironlaw/contracts/model-version'
import { isReleased } from '@ironlaw/policies/release'
import type { ApiPorts } from '../http/ports.ts'
import { modelSummaries, requireModel } from './model-views.ts'

/** With the id of the version in place of its reference, and the digest of its record. */
export type CheckedRevision = NewRevision & { readonly versionDigest?: string }

type RevisionPlace = {
  readonly project: string
  readonly release: DeploymentSpec['release'] | undefined
  /** Of the revision in the request. */
  readonly path: string
}

export type VersionPorts = Pick<ApiPorts, 'database' | 'artifacts' | 'now'>

export async function checkRevision(ports: VersionPorts, revision: NewRevision, place: RevisionPlace): Promise<CheckedRevision> {
  const path = `${place.path}.version`
  const { version: reference, argv } = revision
  if (reference !== undefined) {
    const { artifact: version, digest: versionDigest } = await servedVersion(ports, reference, { ...place, path })
    return { ...revision, version, versionDigest }
  }
  if (argv.some((word) => word.includes(VERSION_PLACE)))
    throw new IronlawError('IL_INVALID', { path, problem: `the command has ${VERSION_PLACE}, and the revision names no version` })
  if (place.release === 'required') throw unnamedVersion(path)
  return revision
}

export const unnamedVersion = (path: string): IronlawError =>
  new IronlawError('IL_INVALID', { path, problem: 'the deployment serves released versions only (release: required), and none is named' })

/** `path` is that of the version in the request. */
export async function servedVersion(
  { database, artifacts, now }: VersionPorts,
  reference: string,
  { project, release, path }: RevisionPlace,
): Promise<NonNullable<Revision['version']>> {
  const model = await requireModel(database, project, reference)
  const { id, removed_at } = model
  if (removed_at !== null)
    throw new IronlawError('IL_CONFLICT', {
      problem: `the content of ${reference} was removed`,
      next: 'add it again first, or name another version',
    })
  const [summary] = await modelSummaries(database, [model], { project, now: now() })
  const state = summary?.state ?? 'candidate'
  if (release === 'required' && !isReleased(state))
    throw new IronlawError('IL_CONFLICT', {
      problem: `${reference} is ${state}, and the deployment serves released versions only`,
      next: `name another version, or decide: "ironlaw decide ${reference} release --why REASON"`,
    })
  const { files } = await artifacts.manifest(id)
  if (!files.some((file) => file.path === MODEL_VERSION_FILE))
    throw new IronlawError('IL_INVALID', {
      path,
      problem: `${reference} has no ${MODEL_VERSION_FILE} to compare the served files with; add the directory that "ironlaw export" wrote`,
    })
  const { content, encoding } = await artifacts.file(id, { path: MODEL_VERSION_FILE, from: 0 })
  return { artifact: id, digest: hash('sha256', Buffer.from(content, encoding)) }
}
