// Secrets of a project. A value comes from standard input or a file: arguments are visible to everyone on the machine.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withContext, withJson } from '../command.ts'

type Flags = { readonly json?: true }
type ProjectFlags = Flags & { readonly project: string }

const withProject = (command: Command): Command => withContext(withJson(command)).option('--project <name>', 'whose secrets', 'default')

export function secretCommand(): Command {
  const command = createCommand('secret').description(
    'manage the secrets of projects: sealed when set, given to jobs that name them, never shown',
  )
  command.addCommand(setCommand())
  command.addCommand(
    withProject(createCommand('list'))
      .description('list the secrets of a project by name, without their values')
      .addHelpText('after', examples('ironlaw secret list --project search'))
      .action(async (flags: ProjectFlags) => {
        const { listSecrets } = await import('./secrets.ts')
        printAnswer(await listSecrets(flags.project), flags.json === true)
      }),
  )
  command.addCommand(
    withProject(createCommand('delete'))
      .description('delete a secret with all its versions; jobs that have it keep it')
      .argument('<name>', 'name of the secret')
      .addHelpText('after', examples('ironlaw secret delete hf-token --project search'))
      .action(async (name: string, flags: ProjectFlags) => {
        const { deleteSecret } = await import('./secrets.ts')
        printAnswer(await deleteSecret(name, flags.project), flags.json === true)
      }),
  )
  command.addCommand(rotateCommand())
  return command
}

function setCommand(): Command {
  return withProject(createCommand('set'))
    .description('set the value of a secret, read from standard input or a file; jobs that start from now on get it')
    .argument('<name>', 'name of the secret, which specs refer to')
    .option('--from-file <file>', 'take the value from this file, with every character; from standard input, a last line break is left out')
    .addHelpText(
      'after',
      examples(
        'ironlaw secret set hf-token --project search < token.txt',
        'ironlaw secret set deploy-key --project search --from-file id_ed25519',
      ),
    )
    .action(async (name: string, flags: ProjectFlags & { readonly fromFile?: string }) => {
      const { setSecret } = await import('./secrets.ts')
      printAnswer(await setSecret(name, flags), flags.json === true)
    })
}

function rotateCommand(): Command {
  return withContext(withJson(createCommand('rotate-key')))
    .description('wrap the secrets of all projects with a new key, which becomes the first in the key file of the control plane')
    .option('--rewrap-only', 'use the first key of the file as it is, for instance after it was changed on every control plane')
    .option('--forget-old', 'remove the other keys from the file afterwards; not if another database shares the file')
    .addHelpText('after', examples('ironlaw secret rotate-key', 'ironlaw secret rotate-key --rewrap-only'))
    .action(async (flags: Flags & { readonly rewrapOnly?: true; readonly forgetOld?: true }) => {
      const { rotateKey } = await import('./secrets.ts')
      printAnswer(await rotateKey({ rewrap_only: flags.rewrapOnly === true, forget_old: flags.forgetOld === true }), flags.json === true)
    })
}
