// Identifies the state of a deployment that a user has seen: the ETag of what users decide, its settings and target revision. What the
// reconciler does by itself, such as replacing a replica, does not change it.

import { canonicalJson, type FieldChange, fieldChangesText, isRolling, sha256 } from '@ironlaw/contracts'
import { type Database, type Deployment, deploymentStream, type Event, eventsOf, newestEvents } from '@ironlaw/store'
import * as z from 'zod'

const DIGITS = 16

type VersionedDeployment = Pick<Deployment, 'id' | 'spec' | 'newest' | 'stable' | 'rollout'>

/** The revision that a new one is compared with: the one on trial, else the one that serves. */
export const comparedRevision = ({ rollout, stable }: Pick<Deployment, 'rollout' | 'stable'>): number =>
  isRolling(rollout) ? rollout.revision : stable

const digestOf = (row: VersionedDeployment): string => {
  const { id, spec, newest } = row
  const decided = JSON.parse(JSON.stringify({ id, spec, newest, compared: comparedRevision(row) }))
  return sha256(canonicalJson(decided)).slice(0, DIGITS)
}

/** With the place in the event log at which it was read: a writer who comes too late learns what happened since. */
export const etagOf = (row: VersionedDeployment, sequence: number): string => `${sequence}-${digestOf(row)}`

export async function sequenceOf(database: Database, id: string): Promise<number> {
  const [newest] = await newestEvents(database, deploymentStream(id), 1)
  return newest?.sequence ?? 0
}

type SeenVersion = { readonly isAny: boolean; readonly sequence: number; readonly digest: string }

/** The ETag in an If-Match header; undefined without one. A malformed ETag matches no state. */
export function seenVersion(ifMatch: string | undefined): SeenVersion | undefined {
  if (ifMatch === undefined) return undefined
  const [, sequence = '0', digest = ''] = /^(?:W\/)?"?(\d{1,9})-([0-9a-f]+)"?$/.exec(ifMatch.trim()) ?? []
  return { isAny: ifMatch.trim() === '*', sequence: Number(sequence), digest }
}

export const isCurrent = ({ isAny, digest }: SeenVersion, row: VersionedDeployment): boolean => isAny || digest === digestOf(row)

const DECISIONS: ReadonlySet<string> = new Set([
  'deployment-changed',
  'revision-created',
  'rollout-promoted',
  'rollout-rolled-back',
  'rollout-returned',
  'deployment-remove-wanted',
])
/** How many events are searched for decisions, and how many decisions are listed. */
const SEARCHED = 1000
const DECISIONS_LISTED = 5

export async function decisionsSince(database: Database, id: string, after: number): Promise<string> {
  const events = await eventsOf(database, deploymentStream(id), { after, limit: SEARCHED })
  const told = events.filter(({ kind }) => DECISIONS.has(kind)).slice(-DECISIONS_LISTED)
  return told.length === 0 ? 'the trail does not say by whom' : told.map(decisionText).join('; ')
}

const CHANGED = z.looseObject({ changes: z.array(z.custom<FieldChange>()).default([]), revision: z.number().optional() })

function decisionText({ actor, kind, body }: Pick<Event, 'actor' | 'kind' | 'body'>): string {
  const { changes, revision } = CHANGED.parse(body)
  if (kind === 'deployment-changed') return `${actor}: ${fieldChangesText(changes)}`
  return `${actor}: ${kind.replaceAll('-', ' ')}${revision === undefined ? '' : ` (revision ${revision})`}`
}
