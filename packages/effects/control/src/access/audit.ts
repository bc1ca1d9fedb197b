// Whether the audit trail is as it was written, a page of streams at a time: first those of tokens and nodes, then every run's.

import type { AuditVerdict } from '@ironlaw/contracts/api'
import {
  type Database,
  deploymentStream,
  GATEWAYS_STREAM,
  listDeployments,
  listRuns,
  nodesOf,
  nodeStream,
  PRINCIPALS_STREAM,
  type RunPage,
  runStream,
  verifyChain,
} from '@ironlaw/store'

type Page = RunPage & { readonly cluster: string }

type AuditResult = { readonly items: AuditVerdict[]; readonly last?: NonNullable<RunPage['before']> }

export async function audit(database: Database, { cluster, limit, before }: Page): Promise<AuditResult> {
  const runs = await listRuns(database, {}, { limit, ...(before && { before }) })
  const first = before ? [] : await otherStreams(database, cluster)
  const items: AuditVerdict[] = []
  for (const stream of [...first, ...runs.map(({ id }) => runStream(id))]) items.push({ stream, ...(await verifyChain(database, stream)) })
  const last = runs.length === limit ? runs.at(-1) : undefined
  return { items, ...(last && { last }) }
}

async function otherStreams(database: Database, cluster: string): Promise<readonly string[]> {
  const [nodes, deployments] = await Promise.all([nodesOf(database, cluster), listDeployments(database, 'all')])
  return [PRINCIPALS_STREAM, GATEWAYS_STREAM, ...nodes.map(nodeStream), ...deployments.map(({ id }) => deploymentStream(id))]
}
