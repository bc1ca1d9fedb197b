// The time of a run, from submit to end, by cause.

import { isTerminal } from '@ironlaw/contracts'
import type { LedgerCause } from '@ironlaw/contracts/ledger'
import { type Book, Books } from './books.ts'
import { type AttemptFact, endedOrderly, faultOf, type RunFacts, withLosses } from './facts.ts'
import { stepParts } from './step-parts.ts'

export function divide(run: RunFacts): readonly Book[] {
  const accelerators = run.nodes * run.processesPerNode
  const books = new Books({ from: run.createdAt, until: run.until, accelerators })
  const attempts = withLosses(run.attempts)
  attempts.forEach((attempt, index) => {
    books.turnTo(accelerators)
    books.until(attempt.submittedAt, [index === 0 ? 'queue' : 'recovery', 1])
    books.turnTo(Math.min(attempt.nodes, run.nodes) * run.processesPerNode)
    bookAttempt(books, attempt, attempts[index + 1]?.submittedAt ?? run.until)
  })
  books.turnTo(accelerators)
  books.until(run.until, [afterLast(run), 1])
  return books.all
}

function afterLast({ state, attempts }: RunFacts): LedgerCause {
  const last = attempts.at(-1)
  if (!last) return 'queue'
  return isTerminal(state) && endedOrderly(last) ? 'idle tail' : 'recovery'
}

function bookAttempt(books: Books, attempt: AttemptFact & { readonly lostFrom: number }, limit: number): void {
  const { startedAt = Infinity, attachedAt, steps, lostFrom } = attempt
  const end = Math.min(attempt.endedAt ?? limit, limit)
  const [first] = steps
  const begin = first ? first.at - first.seconds : Infinity
  const seen = Math.min(startedAt, attachedAt ?? Infinity, begin)
  books.until(Math.min(seen, end), ['allocation', 1])
  const steady = Math.min(begin, faultOf(attempt) ?? end, end)
  books.until(Math.min(attachedAt ?? steady, steady), ['start', 1])
  books.until(steady, ['load', 1])
  for (const step of steps) {
    const lost = step.step >= lostFrom
    books.until(Math.min(step.at - step.seconds, end), [lost ? 'lost work' : 'other', 1])
    books.until(Math.min(step.at, end), ...(lost ? ([['lost work', 1]] as const) : stepParts(step)))
  }
  bookEnd(books, attempt, end)
}

function bookEnd(books: Books, attempt: AttemptFact, end: number): void {
  const { outcome, saved, steps } = attempt
  const last = steps.at(-1)
  // A checkpoint is a phase of the step behind it; behind the last step there is none.
  if (last && saved && saved.step >= last.step) books.until(Math.min(last.at + saved.pause_s, end), ['checkpoint', 1])
  if (!outcome) return books.until(end, ['other', 1])
  if (endedOrderly(attempt)) return books.until(end, ['idle tail', 1])
  const fault = faultOf(attempt)
  // The step that the fault cut off; without a sign of it the time since the last step counts as detection.
  if (fault !== undefined) books.until(Math.min(fault, end), ['lost work', 1])
  books.until(end, ['detection', 1])
}
