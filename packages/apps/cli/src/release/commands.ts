// Releases: whether a version of a model may serve.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withJson } from '../command.ts'

type Flags = { readonly json?: true; readonly to?: string }

export function releaseCommand(): Command {
  const command = createCommand('release').description('judge whether a version of a model may serve, gate by gate with evidence')
  command.addCommand(checkCommand())
  return command
}

function checkCommand(): Command {
  return withJson(createCommand('check'))
    .description('judge all gates of a release spec: passed, refused, undecided or waived; anything but a release is status 3')
    .argument('<spec>', 'YAML or JSON of kind Release')
    .option('--to <directory>', 'where release.json is put: the verdicts as a record that a decision can name as evidence')
    .addHelpText('after', examples('ironlaw release check release.yaml', 'ironlaw release check release.yaml --to checked --json'))
    .action(async (spec: string, flags: Flags) => {
      const { releaseCheckAnswer } = await import('./check.ts')
      printAnswer(await releaseCheckAnswer(spec, flags.to), flags.json === true)
    })
}
