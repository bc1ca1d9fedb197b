// Retries and hedges are paid for out of what ordinary requests put in: a tenth of a try each. When everything fails, the load on what is
// left rises by a tenth and no more (the retry budget of Finagle, and of the SRE book's chapter on cascading failures).

export type RetryBudget = { balance: number }

const EARNED = 0.1
/** So that the first failures of a quiet gateway can be retried at all. */
const RESERVE = 10

export const newRetryBudget = (): RetryBudget => ({ balance: RESERVE })

export function earnRetry(budget: RetryBudget): void {
  budget.balance = Math.min(RESERVE * 10, budget.balance + EARNED)
}

export function spendRetry(budget: RetryBudget): boolean {
  if (budget.balance < 1) return false
  budget.balance -= 1
  return true
}

/** Whether an attempt may be followed by another: never once a byte of an answer has been passed on. */
export const mayRetry = (attempt: {
  readonly number: number
  readonly maxAttempts: number
  readonly bytesPassedOn: number
  readonly left_s: number
}): boolean => attempt.bytesPassedOn === 0 && attempt.number < attempt.maxAttempts && attempt.left_s > 0
