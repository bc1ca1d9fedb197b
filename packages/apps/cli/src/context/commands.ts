import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { examples, createCommand, withJson } from '../command.ts'
import type { AddFlags } from './contexts.ts'

type Flags = { readonly json?: true }

export function contextCommand(): Command {
  return createCommand('context')
    .description('manage the control planes that commands know, and choose which one they use')
    .addCommand(list())
    .addCommand(use())
    .addCommand(add())
    .addCommand(remove())
}

function list(): Command {
  return withJson(createCommand('list'))
    .description('list all contexts; the current one is marked')
    .addHelpText('after', examples('ironlaw context list'))
    .action(async (flags: Flags) => {
      const { contextsAnswer } = await import('./contexts.ts')
      printAnswer(contextsAnswer(), flags.json === true)
    })
}

function use(): Command {
  return withJson(createCommand('use'))
    .description('make a context the current one, which commands use unless --context names another')
    .argument('<context>', 'by name')
    .addHelpText('after', examples('ironlaw context use production'))
    .action(async (name: string, flags: Flags) => {
      const { switchContext } = await import('./contexts.ts')
      printAnswer(switchContext(name), flags.json === true)
    })
}

function add(): Command {
  return withJson(createCommand('add'))
    .description('add a control plane that runs elsewhere; the first one is the current one')
    .argument('<name>', 'what to call it')
    .requiredOption('--api <url>', 'address of its API')
    .requiredOption('--token-file <file>', 'file with a token for it, or "-" for standard input')
    .option('--ca <file>', 'authority of its certificate, in PEM, if this machine does not trust it anyway')
    .option('--replace', 'replace a context of the same name')
    .addHelpText(
      'after',
      examples(
        'ironlaw context add production --api https://ironlaw.example.org --token-file token.txt',
        'ironlaw context add production --api https://ironlaw.example.org --token-file - --replace < token.txt',
      ),
    )
    .action(async (name: string, flags: Flags & AddFlags) => {
      const { addContextEntry } = await import('./contexts.ts')
      printAnswer(addContextEntry(name, flags), flags.json === true)
    })
}

function remove(): Command {
  return withJson(createCommand('remove'))
    .description('forget a context; neither the control plane nor its tokens change')
    .argument('<context>', 'by name')
    .addHelpText('after', examples('ironlaw context remove staging'))
    .action(async (name: string, flags: Flags) => {
      const { removeContextEntry } = await import('./contexts.ts')
      printAnswer(removeContextEntry(name), flags.json === true)
    })
}
