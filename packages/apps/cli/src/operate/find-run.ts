// Finds a run by id, or the newest run of a name.

import { IronlawError } from '@ironlaw/contracts'
import { page, RUN, type RunView } from '@ironlaw/contracts/api'
import { call } from './api-client.ts'
import type { Context } from './context.ts'

/** Undefined if there is none. */
export const findNewestRun = async (to: Context, idOrName: string): Promise<RunView | undefined> =>
  (await call(to, `/v1/runs?name=${encodeURIComponent(idOrName)}&limit=1`, page(RUN))).items[0]

export async function findRun(to: Context, idOrName: string): Promise<RunView> {
  const run = await findNewestRun(to, idOrName)
  if (!run) throw new IronlawError('IL_UNKNOWN_RUN', { kind: 'run', name: idOrName })
  return run
}
