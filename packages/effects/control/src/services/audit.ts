// Whether the audit trail is as it was written, a page of streams at a time: first those of tokens and nodes, then every run's.

import type { AuditVerdict } from '@ironlaw/contracts/api'
import { type Database, listRuns, nodesOf, nodeStream, PRINCIPALS_STREAM, type RunPage, runStream, verifyChain } from '@ironlaw/store'

type Page = RunPage & { readonly cluster: string }

type Audited = { readonly items: AuditVerdict[]; readonly last?: NonNullable<RunPage['before']> }

export async function audit(database: Database, { cluster, limit, before }: Page): Promise<Audited> {
  const runs = await listRuns(database, {}, { limit, ...(before && { before }) })
  const first = before ? [] : [PRINCIPALS_STREAM, ...(await nodesOf(database, cluster)).map(nodeStream)]
  const items: AuditVerdict[] = []
  for (const stream of [...first, ...runs.map(({ id }) => runStream(id))]) items.push({ stream, ...(await verifyChain(database, stream)) })
  const last = runs.length === limit ? runs.at(-1) : undefined
  return { items, ...(last && { last }) }
}
