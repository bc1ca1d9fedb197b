import type { Ledger } from '@ironlaw/contracts/ledger'
import { ledgerFromBooks } from './account.ts'
import type { AttemptFact, RunFacts, StepFact } from './facts.ts'
import { RunBooks } from './run-books.ts'

/** A run with the steps of each attempt, in order. */
export type RunWithSteps = Omit<RunFacts, 'attempts'> & {
  readonly attempts: readonly (AttemptFact & { readonly steps: readonly StepFact[] })[]
}

export function closedBooks(run: RunWithSteps): { readonly facts: RunFacts } & ReturnType<RunBooks['close']> {
  const attempts = run.attempts.map(({ steps: [first], ...attempt }) => ({ ...attempt, ...(first && { firstStep: first.step }) }))
  const facts = { ...run, attempts }
  const books = new RunBooks(facts)
  for (const { number, steps } of run.attempts) for (const step of steps) books.add(number, step)
  return { facts, ...books.close() }
}

export function ledgerOf(run: RunWithSteps): Ledger {
  const { facts, ...closed } = closedBooks(run)
  return ledgerFromBooks(facts, closed)
}
