// Budgets as the API shows them: limits of money that gateways share.

import * as z from 'zod'
import { page } from './api.ts'
import { operation } from './operation.ts'

const name = z.string().regex(/^[A-Za-z0-9][\w.-]{0,62}$/, 'letters, digits, dots, hyphens and underscores, at most 63')

/** Billionths of a dollar must stay whole in a double. */
const MOST_USD = 9_000_000

const amount = z.number().min(0).max(MOST_USD)

const BUDGET_VIEW = z
  .object({
    name,
    limit_usd: z.number(),
    spent_usd: z.number().describe('As gateways have booked it'),
    reserved_usd: z.number().describe('Leased by gateways for requests that run'),
  })
  .meta({ id: 'Budget' })

const SET_BUDGET = z.strictObject({ limit_usd: amount }).meta({ id: 'SetBudget' })

const ofBudget = z.object({ name })

export const BUDGETS = {
  listBudgets: operation({
    id: 'listBudgets',
    method: 'GET',
    url: '/v1/budgets',
    need: { role: 'admin', scope: 'site' },
    summary: 'Budgets that gateways keep in the database of the control plane',
    schema: { response: { 200: page(BUDGET_VIEW) } },
  }),
  getBudget: operation({
    id: 'getBudget',
    method: 'GET',
    url: '/v1/budgets/:name',
    need: { role: 'admin', scope: 'site' },
    summary: 'One budget, by the name that tenants in the access document have',
    schema: { params: ofBudget, response: { 200: BUDGET_VIEW } },
  }),
  setBudget: operation({
    id: 'setBudget',
    method: 'PUT',
    url: '/v1/budgets/:name',
    need: { role: 'admin', scope: 'site' },
    summary: 'Set the limit of a budget, which is created if it is new; what was spent stays',
    schema: { params: ofBudget, body: SET_BUDGET, response: { 200: BUDGET_VIEW } },
  }),
}

export type BudgetView = z.infer<typeof BUDGET_VIEW>
