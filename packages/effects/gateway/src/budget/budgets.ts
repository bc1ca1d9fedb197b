// What the gateway needs from the ledger of budgets. Amounts are whole billionths of a dollar.

/** Money set aside for one request. Settled once, with what it took. */
export type Reservation = { readonly settle: (used_nusd: number) => void }

export type Refusal =
  | { readonly refused: 'spent'; readonly spent_nusd: number; readonly reserved_nusd: number; readonly limit_nusd: number }
  | { readonly refused: 'unavailable' }

export type Budgets = {
  /** At once where money is at hand, otherwise after asking for more. */
  readonly reserve: (budget: string, amount_nusd: number) => Reservation | Refusal | Promise<Reservation | Refusal>
}

/** A tenant without a budget spends without limit. */
export const NO_BUDGETS: Budgets = { reserve: () => ({ settle: () => undefined }) }
