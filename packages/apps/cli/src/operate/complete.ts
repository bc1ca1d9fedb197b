// `ironlaw complete KIND`: names for the shell, one on a line. Whoever presses Tab wants neither an error nor to wait, so a control plane
// that is away has no names.

import { page, RUN } from '@ironlaw/contracts/api'
import { DEPLOYMENT } from '@ironlaw/contracts/deployment-api'
import { call } from './api-client.ts'
import { context } from './context.ts'
import { readContextFile } from './context-file.ts'

/** More than anybody reads in a terminal. */
const MOST_NAMES = 200

/** A shell expands what it completes with: whatever else a server may send stays out. */
const PLAIN = /^[\w.-]+$/

export async function completeNames(kind: string): Promise<readonly string[]> {
  if (kind === 'contexts') return [...(readContextFile()?.entries.keys() ?? [])]
  const runs = ['runs', 'subjects'].includes(kind) ? (await call(context(), `/v1/runs?limit=${MOST_NAMES}`, page(RUN))).items : []
  const deployments = ['deployments', 'subjects'].includes(kind) ? (await call(context(), '/v1/deployments', page(DEPLOYMENT))).items : []
  return [...new Set([...runs, ...deployments].map(({ name }) => name))].filter((name) => PLAIN.test(name))
}
