// Limits of budgets, changed with a trail that says what they were.

import { IronlawError } from '@ironlaw/contracts'
import type { BudgetView } from '@ironlaw/contracts/budget-api'
import { OPERATIONS } from '@ironlaw/contracts/operations'
import { type Budget, type Database, listBudgets, setBudget } from '@ironlaw/store'
import { actorOf } from './authentication.ts'
import { route } from './operation.ts'
import type { Api, ApiPorts } from './ports.ts'

const NUSD = 1e9

export function addBudgetRoutes(app: Api, { database, now }: ApiPorts): void {
  app.route({
    ...route(OPERATIONS.listBudgets),
    handler: async () => ({ items: ((await listBudgets(database)) ?? []).map(budgetView), next: null }),
  })
  app.route({ ...route(OPERATIONS.getBudget), handler: ({ params: { name } }) => requireBudget(database, name) })
  app.route({
    ...route(OPERATIONS.setBudget),
    handler: async (request) => {
      const { name } = request.params
      const limit_nusd = Math.round(request.body.limit_usd * NUSD)
      const event = (before: Budget | undefined) => ({
        kind: before ? 'budget-changed' : 'budget-created',
        actor: actorOf(request),
        at: now(),
        body: {
          budget: name,
          before: before ? { limit_usd: before.limit_nusd / NUSD, spent_usd: before.spent_nusd / NUSD } : null,
          after: { limit_usd: limit_nusd / NUSD },
        },
      })
      if ((await setBudget(database, { name, limit_nusd, event })) === 'no-books')
        throw new IronlawError('IL_CONFLICT', {
          problem: 'no gateway keeps budgets in the database of this control plane',
          next: "start the gateways with --database and the URL of the control plane's PostgreSQL",
        })
      return requireBudget(database, name)
    },
  })
}

async function requireBudget(database: Database, name: string): Promise<BudgetView> {
  const [found] = (await listBudgets(database, name)) ?? []
  if (!found) throw new IronlawError('IL_NOT_FOUND', { kind: 'budget', id: name })
  return budgetView(found)
}

const budgetView = ({ name, limit_nusd, spent_nusd, leased_nusd }: Budget): BudgetView => ({
  name,
  limit_usd: limit_nusd / NUSD,
  spent_usd: spent_nusd / NUSD,
  reserved_usd: leased_nusd / NUSD,
})
