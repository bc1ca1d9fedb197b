// Whether the audit trail is as it was written: every stream there is, a page of them at a time.

import type { AuditVerdict } from '@ironlaw/contracts/api'
import { type Database, headsOfStreams, verifyChain } from '@ironlaw/store'

type Page = { readonly limit: number; readonly after: string }

type AuditResult = {
  readonly items: AuditVerdict[]
  /** The last stream of the page, where there are more. */
  readonly last: string | undefined
}

/** Verified within a second or two; a stream is never divided. */
const EVENTS_AT_ONCE = 20_000

export async function audit(database: Database, { limit, after }: Page): Promise<AuditResult> {
  const heads = await headsOfStreams(database, { after, limit })
  const items: AuditVerdict[] = []
  let events = 0
  for (const { stream, sequence } of heads) {
    events += sequence
    if (items.length > 0 && events > EVENTS_AT_ONCE) break
    items.push({ stream, ...(await verifyChain(database, stream)) })
  }
  const isLast = items.length === heads.length && heads.length < limit
  return { items, last: isLast ? undefined : items.at(-1)?.stream }
}
