// The access document: who may ask the gateways. It is replaced as a whole, so a writer says which one they have seen (RFC 9110, section 13.1.1;
// RFC 6585, section 3): an old file must not bring back a key that was revoked since.

import { type AccessChange, accessChange, accessChangeText, IronlawError } from '@ironlaw/contracts'
import { type GatewayConfig, STORED_GATEWAY_CONFIG } from '@ironlaw/contracts/gateway-snapshot'
import { accessDocument, type Database, GATEWAYS_STREAM, newestEvents, replaceAccess } from '@ironlaw/store'
import * as z from 'zod'
import { publishSnapshot } from './publish-snapshot.ts'

/** How many changes are searched for the one that a writer has seen. */
const CHANGES_SEARCHED = 100
/** How many changes are listed to a writer who has seen an older document. */
const CHANGES_LISTED = 5

export async function readAccess(database: Database): Promise<{ readonly etag: string; readonly config: GatewayConfig }> {
  const found = await accessDocument(database)
  if (!found) throw new IronlawError('IL_NOT_FOUND', { kind: 'access document', id: 'gateway-config' })
  return { etag: found.etag, config: STORED_GATEWAY_CONFIG.parse(found.config) }
}

type Edit = { readonly ifMatch: string | undefined; readonly actor: string; readonly at: number }

type StoredAccess = { readonly version: number; readonly etag: string }

export async function writeAccess(database: Database, config: GatewayConfig, { ifMatch, actor, at }: Edit): Promise<StoredAccess> {
  const seen = ifMatch === undefined ? undefined : ifMatch.replace(/^(?:W\/)?"(.*)"$/, '$1')
  const { answer, etag } = await replaceAccess(database, {
    config,
    seen,
    event: (before) => ({
      kind: 'gateways-configured',
      actor,
      at,
      body: { ...accessChange(STORED_GATEWAY_CONFIG.parse(before), config) },
    }),
  })
  switch (answer) {
    case 'unseen':
      throw new IronlawError('IL_UNSEEN', { what: 'the access document', etag })
    case 'stale':
      throw new IronlawError('IL_STALE', { what: 'the access document', changes: await changesSince(database, seen) })
    case 'stored':
      return { version: await publishSnapshot(database), etag }
  }
}

const CHANGED = z.looseObject({ etag: z.string().optional() })

async function changesSince(database: Database, etag: string | undefined): Promise<string> {
  const events = await newestEvents(database, GATEWAYS_STREAM, CHANGES_SEARCHED)
  const edits = events.filter(({ kind }) => kind === 'gateways-configured').toSorted((one, other) => other.sequence - one.sequence)
  const known = edits.findIndex(({ body }) => CHANGED.parse(body).etag === etag)
  const since = known === -1 ? edits : edits.slice(0, known)
  const told = since.slice(0, CHANGES_LISTED).map(({ actor, body }) => `${actor}: ${accessChangeText(changeOf(body))}`)
  return [...told, ...(since.length > CHANGES_LISTED ? [`and ${since.length - CHANGES_LISTED} changes before`] : [])].join('; ')
}

const changeOf = (body: object): AccessChange => ({ ...body })
