// `ironlaw law`.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withJson } from '../command.ts'

type Flags = { readonly json?: true }

export function lawCommand(): Command {
  const command = withJson(createCommand('law'))
    .description('look up a law of the book, or apply it to values')
    .argument('[id]', 'a law, or a domain to list; all domains if omitted')
    .option('--explain', 'print the derivation: formula, inputs, units, sources')
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText(
      'after',
      `\nThe law's inputs are flags of the same name, values with their unit.\n${examples('ironlaw law reliability', 'ironlaw law reliability/young-daly', 'ironlaw law reliability/young-daly --write-time 2min --mtbf 4h --explain')}`,
    )
    .action(async (id: string | undefined, flags: Flags & { explain?: true }, self: Command) => {
      const { lawAnswer } = await import('./law.ts')
      printAnswer(lawAnswer(id, self.args.slice(1), flags.explain === true), flags.json === true)
    })
  command.addCommand(
    withJson(createCommand('check'))
      .description('run every worked example of the book')
      .action(async (_: unknown, self: Command) => {
        const { lawCheckAnswer } = await import('./law-check.ts')
        printAnswer(lawCheckAnswer(), self.optsWithGlobals<Flags>().json === true)
      }),
  )
  return command
}
