import type { CommandAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { findRun } from './find-run.ts'
import { stateText } from './run-text.ts'

export async function resumeRun(name: string): Promise<CommandAnswer> {
  const to = context()
  const { id } = await findRun(to, name)
  const run = await api(to).resumeRun({ id })
  return { json: run, text: () => `${run.id}  ${stateText(run.state)}${run.why ? `: ${run.why}` : ''}` }
}
