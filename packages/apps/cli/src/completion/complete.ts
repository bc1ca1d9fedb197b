// `ironlaw complete KIND`: names for shell completion, one per line. Completion must neither fail nor wait, so an unreachable control plane
// yields no names.

import { api } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { readContextFile } from '../context/context-file.ts'

/** More than fit on a terminal. */
const MOST_NAMES = 200

/** A shell expands completions, so names with any other character are dropped. */
const PLAIN = /^[\w.-]+$/

export async function completeNames(kind: string): Promise<readonly string[]> {
  if (kind === 'contexts') return [...(readContextFile()?.entries.keys() ?? [])]
  const runs = ['runs', 'subjects'].includes(kind) ? (await api(context()).listRuns({ query: { limit: MOST_NAMES } })).items : []
  const deployments = ['deployments', 'subjects'].includes(kind) ? (await api(context()).listDeployments({})).items : []
  return [...new Set([...runs, ...deployments].map(({ name }) => name))].filter((name) => PLAIN.test(name))
}
