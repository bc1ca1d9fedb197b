// The commands that only runs have.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withContext, withJson, withYes } from '../command.ts'

type Flags = { readonly json?: true }

export function cancelCommand(): Command {
  return withContext(withYes(withJson(createCommand('cancel'))))
    .description('stop a run; it is cancelled once its executor confirms that nothing is running')
    .argument('<run>', 'a run, by id or name')
    .addHelpText('after', examples('ironlaw cancel tiny-llama'))
    .action(async (name: string, flags: Flags) => {
      const { cancelRun } = await import('./cancel.ts')
      printAnswer(await cancelRun(name), flags.json === true)
    })
}

export function resumeCommand(): Command {
  return withContext(withJson(createCommand('resume')))
    .description('resume a failed or cancelled run from its newest checkpoint; earlier failures no longer count')
    .argument('<run>', 'a run, by id or name')
    .addHelpText('after', examples('ironlaw resume tiny-llama'))
    .action(async (name: string, flags: Flags) => {
      const { resumeRun } = await import('./resume.ts')
      printAnswer(await resumeRun(name), flags.json === true)
    })
}
