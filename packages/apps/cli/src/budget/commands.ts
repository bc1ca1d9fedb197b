import type { Command } from 'commander'
import { printAnswer } from '../answer.ts'
import { createCommand, examples, withContext, withJson } from '../command.ts'

type Flags = { readonly json?: true }

export function budgetCommand(): Command {
  const command = createCommand('budget').description('limits of money for tenants of the gateways (docs/guides/gateway.md)')
  command.addCommand(
    withContext(withJson(createCommand('get')))
      .description('show a budget, or all of them: limit, spent and reserved')
      .argument('[name]', 'as tenants of the access document name it')
      .addHelpText('after', examples('ironlaw budget get', 'ironlaw budget get team --json'))
      .action(async (name: string | undefined, flags: Flags) => {
        const { budgetsAnswer } = await import('./budgets.ts')
        printAnswer(await budgetsAnswer(name), flags.json === true)
      }),
  )
  command.addCommand(
    withContext(withJson(createCommand('set')))
      .description('set the limit of a budget, or create it; what was spent stays')
      .argument('<name>', 'as tenants of the access document name it')
      .requiredOption('--limit <usd>', 'dollars')
      .addHelpText('after', examples('ironlaw budget set team --limit 100'))
      .action(async (name: string, flags: Flags & { readonly limit: string }) => {
        const { setBudget } = await import('./budgets.ts')
        printAnswer(await setBudget(name, flags.limit), flags.json === true)
      }),
  )
  return command
}
