// A run by its id, or by its name: the newest of that name.

import { IronlawError } from '@ironlaw/contracts'
import { page, RUN, type RunView } from '@ironlaw/contracts/api'
import { call } from './api-client.ts'
import type { Context } from './context.ts'

export async function findRun(to: Context, idOrName: string): Promise<RunView> {
  const found = await call(to, `/v1/runs?name=${encodeURIComponent(idOrName)}&limit=1`, page(RUN))
  const [run] = found.items
  if (!run) throw new IronlawError('IL_UNKNOWN_RUN', { run: idOrName })
  return run
}
