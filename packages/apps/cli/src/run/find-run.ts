// Finds a run by id, or the newest run of a name.

import { IronlawError } from '@ironlaw/contracts'
import type { RunView } from '@ironlaw/contracts/api'
import { api } from '../api/api-client.ts'
import type { Context } from '../context/context.ts'

/** Undefined if there is none. */
export const findNewestRun = async (to: Context, idOrName: string): Promise<RunView | undefined> =>
  (await api(to).listRuns({ query: { name: idOrName, limit: 1 } })).items[0]

export async function findRun(to: Context, idOrName: string): Promise<RunView> {
  const run = await findNewestRun(to, idOrName)
  if (!run) throw new IronlawError('IL_UNKNOWN_RUN', { kind: 'run', name: idOrName })
  return run
}
