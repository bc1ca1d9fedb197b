// Who changed what, and whether the record of it is as it was written.

import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withContext, withJson } from '../command.ts'
import type { AccessFlags } from './list-access.ts'

type Flags = { readonly json?: true }

export function auditCommand(): Command {
  const command = createCommand('audit').description('who changed what through the API or was refused, and proof that it was not altered')
  command.addCommand(
    withContext(withJson(createCommand('list')))
      .description('list changes and refusals, newest last')
      .option('--project <name>', 'only of this project')
      .option('--who <id>', 'only of this token, as the list shows it')
      .option('--since <time>', 'how far back, such as 2h or 30d', '7d')
      .option('--refused', 'only what was refused')
      .option('--limit <n>', 'most records to list', '100')
      .addHelpText(
        'after',
        examples('ironlaw audit list', 'ironlaw audit list --refused --since 1h', 'ironlaw audit list --project search --json'),
      )
      .action(async (flags: Flags & AccessFlags) => {
        const { listAccess } = await import('./list-access.ts')
        printAnswer(await listAccess(flags), flags.json === true)
      }),
  )
  command.addCommand(
    withContext(withJson(createCommand('verify')))
      .description('verify that no event was altered or removed; exit status 3 if one was')
      .option(
        '--heads <file>',
        'also compare with what "ironlaw up --audit-to" sent: finds a database that was rewritten or emptied as a whole',
      )
      .addHelpText('after', examples('ironlaw audit verify', 'ironlaw audit verify --heads /mnt/elsewhere/audit.jsonl'))
      .action(async (flags: Flags & { readonly heads?: string }) => {
        const { verifyAudit } = await import('./verify-audit.ts')
        printAnswer(await verifyAudit(flags.heads), flags.json === true)
      }),
  )
  command.addCommand(
    withContext(withJson(createCommand('sinks')))
      .description('list where the control plane sends its audit trail, and how far each target is behind')
      .addHelpText('after', examples('ironlaw audit sinks'))
      .action(async (flags: Flags) => {
        const { listSinks } = await import('./list-access.ts')
        printAnswer(await listSinks(), flags.json === true)
      }),
  )
  return command
}
