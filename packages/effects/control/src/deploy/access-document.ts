// The access document: who may ask the gateways. It is replaced as a whole, so a writer says which one they have seen (RFC 9110, section 13.1.1;
// RFC 6585, section 3): an old file must not bring back a key that was revoked since.

import { type AccessChange, accessChange, accessChangeText, IronlawError } from '@ironlaw/contracts'
import { type GatewayConfig, STORED_GATEWAY_CONFIG } from '@ironlaw/contracts/gateway-snapshot'
import { accessDocument, type Database, GATEWAYS_STREAM, replaceAccess } from '@ironlaw/store'
import { type Edit, type SeenDocument, seenTag, unseenError } from '../access/seen-document.ts'
import { publishSnapshot } from './publish-snapshot.ts'

const DOCUMENT: SeenDocument = {
  what: 'the access document',
  stream: GATEWAYS_STREAM,
  kind: 'gateways-configured',
  changeText: (body) => accessChangeText(changeOf(body)),
}

export async function readAccess(database: Database): Promise<{ readonly etag: string; readonly config: GatewayConfig }> {
  const found = await accessDocument(database)
  if (!found) throw new IronlawError('IL_NOT_FOUND', { kind: 'access document', id: 'gateway-config' })
  return { etag: found.etag, config: STORED_GATEWAY_CONFIG.parse(found.config) }
}

type StoredAccess = { readonly version: number; readonly etag: string }

export async function writeAccess(database: Database, config: GatewayConfig, edit: Edit): Promise<StoredAccess> {
  const { actor, at } = edit
  const seen = seenTag(edit)
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
  if (answer !== 'stored') throw await unseenError(database, DOCUMENT, { answer, etag, seen })
  return { version: await publishSnapshot(database), etag }
}

const changeOf = (body: object): AccessChange => ({ ...body })
