import { IronlawError } from '@ironlaw/contracts'
import type { BudgetView } from '@ironlaw/contracts/budget-api'
import type { CommandAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { table } from '../table.ts'

export async function budgetsAnswer(name: string | undefined): Promise<CommandAnswer> {
  if (name !== undefined) return budgetAnswer(await api(context()).getBudget({ name }))
  const { items } = await api(context()).listBudgets({})
  return {
    json: { items },
    text: () => (items.length === 0 ? 'there are no budgets; "ironlaw budget set" creates one' : budgetsTable(items)),
  }
}

export async function setBudget(name: string, limit: string): Promise<CommandAnswer> {
  const text = limit.trim().replace(/^\$|\s*usd$/i, '')
  if (!/^\d+(?:\.\d+)?$/.test(text))
    throw new IronlawError('IL_QUANTITY', { name: '--limit', reason: `"${limit}" is not an amount of dollars, such as 100` })
  return budgetAnswer(await api(context()).setBudget({ name, body: { limit_usd: Number(text) } }))
}

const budgetAnswer = (budget: BudgetView): CommandAnswer => ({ json: budget, text: () => budgetsTable([budget]) })

const showUsd = (amount: number): string => `${amount.toFixed(2)} USD`

function budgetsTable(budgets: readonly BudgetView[]): string {
  const rows = budgets.map(({ name, limit_usd, spent_usd, reserved_usd }) => [name, ...[limit_usd, spent_usd, reserved_usd].map(showUsd)])
  return table(['BUDGET', 'LIMIT', 'SPENT', 'RESERVED'], rows, [1, 2, 3])
}
