// Completion of commands and names in a shell.

import type { Command } from 'commander'
import { createCommand, examples } from '../command.ts'

/** For completion scripts, which must not print errors. */
export function completeCommand(): Command {
  return createCommand('complete')
    .argument('<kind>')
    .action(async (kind: string) => {
      const { completeNames } = await import('./complete.ts')
      process.stdout.write((await completeNames(kind)).map((name) => `${name}\n`).join(''))
    })
}

export function completionCommand(root: Command): Command {
  return createCommand('completion')
    .description('print a completion script for your shell')
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText(
      'after',
      examples('ironlaw completion bash > /etc/bash_completion.d/ironlaw', 'ironlaw completion zsh > "${fpath[1]}/_ironlaw"'),
    )
    .action(async (shell: string) => {
      const { completionScript } = await import('./completion.ts')
      process.stdout.write(completionScript(shell, root))
    })
}
