// `ironlaw ledger`.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withContext, withJson } from '../command.ts'
import type { LedgerFlags } from './ledger.ts'

type Flags = { readonly json?: true }

export function ledgerCommand(): Command {
  return withContext(withJson(createCommand('ledger')))
    .description('where the time of a run went, by cause, compared with its plan; the largest gap and what would close it')
    .argument('[run]', 'a run, by id or name')
    .option('--fleet', 'for all finished runs instead of one')
    .option('--since <time>', 'with --fleet: how far back, in whole days', '7d')
    .option('--by <what>', 'with --fleet: cause, project or team', 'cause')
    .addHelpText('after', examples('ironlaw ledger tiny-llama', 'ironlaw ledger --fleet --since 30d --by team'))
    .action(async (name: string | undefined, flags: Flags & LedgerFlags) => {
      const { ledgerAnswer } = await import('./ledger.ts')
      printAnswer(await ledgerAnswer(name, flags), flags.json === true)
    })
}
