import { isTerminal } from '@ironlaw/contracts'
import { RUN } from '@ironlaw/contracts/api'
import type { CommandAnswer } from '../answer.ts'
import { post } from './api-client.ts'
import { context } from './context.ts'
import { findRun } from './find-run.ts'
import { stateText } from './run-text.ts'

export async function cancelRun(name: string): Promise<CommandAnswer> {
  const to = context()
  const { id } = await findRun(to, name)
  const run = await post(to, `/v1/runs/${id}/cancel`, { body: {}, answer: RUN })
  return {
    json: run,
    text: () =>
      isTerminal(run.state)
        ? `${run.id}  ${stateText(run.state)}${run.why ? `: ${run.why}` : ''}`
        : `${run.id} is being stopped; "ironlaw get ${run.id}" shows it as cancelled once everything has stopped`,
  }
}
