// `ironlaw catalog`.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withJson } from '../command.ts'

type Flags = { readonly json?: true }

export function catalogCommand(): Command {
  const command = withJson(createCommand('catalog'))
    .description('accelerators, nodes, links, storage, failure rates, prices and grids, each figure with its source')
    .argument('[id]', 'an entry, or a kind to list; all kinds if omitted')
    .option('--against <id>', 'compare with another entry of the same kind')
    .option('--with <file>', 'a YAML or JSON file of your own catalog entries, which override the built-in ones')
    .addHelpText(
      'after',
      examples('ironlaw catalog accelerators', 'ironlaw catalog h100-sxm --against b200', 'ironlaw catalog h100-sxm --with fleet.yaml'),
    )
    .action(async (id: string | undefined, flags: Flags & { against?: string; with?: string }) => {
      const { catalogAnswer } = await import('./catalog.ts')
      printAnswer(catalogAnswer(id, flags), flags.json === true)
    })
  command.addCommand(
    withJson(createCommand('check'))
      .description('check every figure: unit, source, date, references and plausibility')
      .action(async (_: unknown, self: Command) => {
        const { catalogCheckAnswer } = await import('./catalog.ts')
        printAnswer(catalogCheckAnswer(self.optsWithGlobals<{ with?: string }>().with), self.optsWithGlobals<Flags>().json === true)
      }),
  )
  return command
}
