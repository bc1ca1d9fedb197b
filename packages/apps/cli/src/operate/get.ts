import { page, RUN } from '@ironlaw/contracts/api'
import type { Answer } from '../answer.ts'
import { call } from './api-client.ts'
import { context } from './context.ts'
import { runsTable } from './run-text.ts'

export type GetFlags = { readonly state?: string; readonly project?: string; readonly limit: string }

export async function getAnswer(name: string | undefined, flags: GetFlags): Promise<Answer> {
  const query = new URLSearchParams({
    limit: flags.limit,
    ...(name !== undefined && { name }),
    ...(flags.state !== undefined && { state: flags.state }),
    ...(flags.project !== undefined && { project: flags.project }),
  })
  const runs = await call(context(), `/v1/runs?${query.toString()}`, page(RUN))
  return {
    json: runs,
    text: () => (runs.items.length === 0 ? 'no runs' : runsTable(runs.items, Date.now() / 1000)),
    ...(runs.next !== null && { notes: ['there are more; --limit shows up to 1000 at once'] }),
  }
}
