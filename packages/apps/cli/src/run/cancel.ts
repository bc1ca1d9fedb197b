import { isTerminal } from '@ironlaw/contracts'
import type { CommandAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { findRun } from './find-run.ts'
import { stateText } from './run-text.ts'

export async function cancelRun(name: string): Promise<CommandAnswer> {
  const to = context()
  const { id } = await findRun(to, name)
  const run = await api(to).cancelRun({ id })
  return {
    json: run,
    text: () =>
      isTerminal(run.state)
        ? `${run.id}  ${stateText(run.state)}${run.why ? `: ${run.why}` : ''}`
        : `${run.id} is being stopped; "ironlaw get ${run.id}" shows it as cancelled once everything has stopped`,
  }
}
