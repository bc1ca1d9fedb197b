// Which revision an order "back" leads to: an earlier one, or a new one that serves an earlier version from the registry. Checked as any revision
// is: what may not be deployed is no way back.

import { IronlawError, previousRevision, type Revision } from '@ironlaw/contracts'
import type { RolloutOrderBody } from '@ironlaw/contracts/deployment-api'
import { VERSION_PLACE } from '@ironlaw/contracts/model-version'
import { type Deployment, revisionsOf } from '@ironlaw/store'
import { servedVersion, unnamedVersion, type VersionPorts } from '../registry/served-version.ts'

export type BackTarget = {
  readonly to?: number
  /** What a new revision serves; its number is given when it is made. */
  readonly copy?: Revision
}

type BackOrder = Pick<RolloutOrderBody, 'to' | 'version' | 'fresh'>

export async function backTarget(ports: VersionPorts, row: Deployment, order: BackOrder): Promise<BackTarget> {
  const { id, project, spec, stable } = row
  const revisions = (await revisionsOf(ports.database, [id])).get(id)
  const place = { project, release: spec.release, path: 'body.version' }
  const ofNumber = (number: number | undefined) => revisions.find((each) => each.number === number)
  if (order.version !== undefined) {
    const version = await servedVersion(ports, order.version, place)
    const named = revisions.filter((each) => each.version?.artifact === version.artifact)
    const target = named.find(({ number }) => number === stable) ?? named.at(-1)
    if (target) return order.fresh ? { copy: target } : { to: target.number }
    return { copy: { ...restoringRevision(row, order.version, ofNumber(stable)), version } }
  }
  const to = order.to ?? previousRevision(row)
  const target = ofNumber(to)
  if (!target) return to === undefined ? {} : { to }
  if (target.version) await servedVersion(ports, target.version.artifact, place)
  else if (spec.release === 'required') throw unnamedVersion(`revision ${target.number}`)
  return order.fresh ? { copy: target } : { to: target.number }
}

/** Files of a version that was never served here come to the replicas by the path in the command. */
function restoringRevision({ name }: Deployment, version: string, stable: Revision | undefined): Revision {
  if (stable?.argv.some((word) => word.includes(VERSION_PLACE))) return stable
  throw new IronlawError('IL_CONFLICT', {
    problem: `no revision of deployment "${name}" served ${version}, and the command of its revisions does not say where versions are`,
    next: `apply a spec that names the version; with "--model DIR/${VERSION_PLACE}" in its program, any version is a way back`,
  })
}
