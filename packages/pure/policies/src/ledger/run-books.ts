// The time of a run, from submit to end, by cause. Steps are taken one by one: a run may have more of them than fit in memory.

import { isTerminal } from '@ironlaw/contracts'
import type { TimeCause } from '@ironlaw/contracts/ledger'
import { type Book, Books } from './books.ts'
import { hasEndedOrderly, faultTime, type LossyAttempt, type RunFacts, type StepFact, withLosses } from './facts.ts'
import { stepCauseWeights } from './step-parts.ts'

/** What is known of the steps of one attempt once they are all taken. */
export type AttemptSteps = {
  readonly first?: StepFact
  readonly last?: StepFact
  /** The last one that no later attempt did again. */
  readonly kept?: number
  readonly lost: number
}

export class RunBooks {
  readonly #run: RunFacts
  readonly #accelerators: number
  readonly #attempts: readonly LossyAttempt[]
  readonly #books: Books
  readonly #steps: AttemptSteps[]
  /** No attempt has joined or reported a step. */
  readonly #isPlain: boolean
  /** The attempt whose steps are being taken. */
  #index = -1

  constructor(run: RunFacts) {
    this.#run = run
    this.#accelerators = run.nodes * run.processesPerNode
    this.#attempts = withLosses(run.attempts)
    this.#books = new Books({ from: run.createdAt, until: run.until, accelerators: this.#accelerators })
    this.#steps = run.attempts.map(() => ({ lost: 0 }))
    this.#isPlain = run.attempts.every(({ attachedAt, firstStep }) => attachedAt === undefined && firstStep === undefined)
  }

  /** In order of attempts, and within one in order of steps; one that comes again, as when another agent takes over, counts once. */
  add(number: number, step: StepFact): void {
    const index = this.#attempts.findIndex((attempt) => attempt.number === number)
    if (index < this.#index || index < 0) return
    while (this.#index < index) this.#startNextAttempt()
    const { first, last, kept, lost } = this.#steps[index] ?? { lost: 0 }
    const attempt = this.#attempts[index]
    if (!attempt || (last && step.step <= last.step)) return
    if (!first) this.#bookStart(attempt, step)
    const isLost = step.step >= attempt.lostFrom
    const end = this.#attemptEnd(attempt)
    this.#books.attributeUntil(Math.min(step.at - step.seconds, end), [isLost ? 'lost work' : 'other', 1])
    this.#books.attributeUntil(Math.min(step.at, end), ...(isLost ? ([['lost work', 1]] as const) : stepCauseWeights(step)))
    const keptStep = isLost ? kept : step.step
    this.#steps[index] = {
      first: first ?? step,
      last: step,
      ...(keptStep !== undefined && { kept: keptStep }),
      lost: lost + (isLost ? 1 : 0),
    }
  }

  close(): { readonly books: readonly Book[]; readonly steps: readonly AttemptSteps[] } {
    while (this.#index < this.#attempts.length) this.#startNextAttempt()
    this.#books.switchTo(this.#accelerators)
    this.#books.attributeUntil(this.#run.until, [causeAfterLast(this.#run), 1])
    return { books: this.#books.all, steps: this.#steps }
  }

  /** From one attempt to the next. */
  #startNextAttempt(): void {
    const over = this.#attempts[this.#index]
    if (over) this.#bookEnd(over)
    this.#index += 1
    const next = this.#attempts[this.#index]
    if (!next) return
    this.#books.switchTo(this.#accelerators)
    this.#books.attributeUntil(next.submittedAt, [this.#index === 0 ? 'queue' : this.#waitCause(), 1])
    this.#books.switchTo(Math.min(next.nodes, this.#run.nodes) * this.#run.processesPerNode)
  }

  /** For its first nodes, or for others after a failure; one that was only checked has not failed. */
  #waitCause(): TimeCause {
    return this.#attempts.slice(0, this.#index).every(({ check }) => check) ? 'allocation' : 'recovery'
  }

  #attemptEnd({ endedAt }: LossyAttempt): number {
    const limit = this.#attempts[this.#index + 1]?.submittedAt ?? this.#run.until
    return Math.min(endedAt ?? limit, limit)
  }

  /** Up to the first step, or to the end where there is none. */
  #bookStart(attempt: LossyAttempt, first: StepFact | undefined): void {
    if (this.#isPlain && attempt.ranksAt !== undefined) return this.#bookPlainRun(attempt, attempt.ranksAt)
    const { startedAt = Infinity, attachedAt } = attempt
    const end = this.#attemptEnd(attempt)
    const begin = first ? first.at - first.seconds : Infinity
    const seen = Math.min(startedAt, attachedAt ?? Infinity, begin)
    this.#books.attributeUntil(Math.min(seen, end), [this.#waitCause(), 1])
    const steady = Math.min(begin, faultTime(attempt) ?? end, end)
    this.#books.attributeUntil(Math.min(attachedAt ?? steady, steady), ['start', 1])
    this.#books.attributeUntil(steady, ['load', 1])
  }

  /** A program that reports no steps runs while its processes do. What a failed attempt did is taken for lost: the next one begins again. */
  #bookPlainRun(attempt: LossyAttempt, ranksAt: number): void {
    const end = this.#attemptEnd(attempt)
    const hasFailed = attempt.outcome !== undefined && !hasEndedOrderly(attempt)
    this.#books.attributeUntil(Math.min(attempt.startedAt ?? ranksAt, ranksAt, end), [this.#waitCause(), 1])
    this.#books.attributeUntil(Math.min(ranksAt, end), ['start', 1])
    this.#books.attributeUntil(Math.min(faultTime(attempt) ?? end, end), [hasFailed ? 'lost work' : 'running', 1])
  }

  #bookEnd(attempt: LossyAttempt): void {
    const { outcome, saved } = attempt
    const { last } = this.#steps[this.#index] ?? {}
    const end = this.#attemptEnd(attempt)
    if (attempt.check) {
      this.#books.attributeUntil(Math.min(attempt.startedAt ?? end, end), ['allocation', 1])
      return this.#books.attributeUntil(end, ['check', 1])
    }
    if (!last) this.#bookStart(attempt, undefined)
    // A checkpoint is a phase of the step behind it; behind the last step there is none.
    if (last && saved && saved.step >= last.step) this.#books.attributeUntil(Math.min(last.at + saved.pause_s, end), ['checkpoint', 1])
    if (!outcome) return this.#books.attributeUntil(end, ['other', 1])
    if (hasEndedOrderly(attempt)) return this.#books.attributeUntil(end, ['idle tail', 1])
    const fault = faultTime(attempt)
    // The step that the fault cut off; without a sign of it the time since the last step counts as detection.
    if (fault !== undefined) this.#books.attributeUntil(Math.min(fault, end), ['lost work', 1])
    this.#books.attributeUntil(end, ['detection', 1])
  }
}

function causeAfterLast({ state, attempts }: RunFacts): TimeCause {
  const last = attempts.at(-1)
  if (!last) return 'queue'
  return isTerminal(state) && hasEndedOrderly(last) ? 'idle tail' : 'recovery'
}
