// The ledger of a run: its time by cause compared with the prediction of its plan, with goodput, money, energy, carbon and every recovery.

import { isTerminal, STEP_CAUSE_INFO, STEP_CAUSES } from '@ironlaw/contracts'
import { TIME_CAUSES, type Ledger, type TimeCause, type LedgerEntry, type Recovery, type Spending } from '@ironlaw/contracts/ledger'
import { type Book, TICKS_PER_S } from './books.ts'
import { deviations } from './deviations.ts'
import { faultTime, type RunPrediction, type RunFacts } from './facts.ts'
import { gapsOf, goodputOf, gapWithAdvice, NOT_HELD, PRODUCTIVE, shareOf, sumOf } from './goodput.ts'
import type { AttemptSteps } from './run-books.ts'

type ClosedRunBooks = { readonly books: readonly Book[]; readonly steps: readonly AttemptSteps[] }

/** From the books of a run, which are closed. */
export function ledgerFromBooks(run: RunFacts, { books, steps: taken }: ClosedRunBooks): Ledger {
  const { createdAt, until, predicted } = run
  const accelerators = run.nodes * run.processesPerNode
  const measured = acceleratorSeconds(books, accelerators)
  // How far the run has come: its last step that no later attempt did again.
  const steps = Math.max(0, ...taken.map(({ kept = 0 }) => kept))
  const isPlain = (measured.get('running') ?? 0) > 0
  const foreseen = isPlain ? new Map<TimeCause, number>() : predictedSeconds(predicted, steps, accelerators)
  const rates = ratesOf(predicted)
  const whole = sumOf(measured, TIME_CAUSES)
  const causes = TIME_CAUSES.map((cause): LedgerEntry => {
    const accelerator_s = measured.get(cause) ?? 0
    const expected = foreseen.get(cause)
    return {
      cause,
      accelerator_s,
      share: shareOf(accelerator_s, whole),
      ...(expected !== undefined && { predicted_accelerator_s: expected }),
      ...spendingFor(rates, NOT_HELD.includes(cause) ? 0 : accelerator_s),
    }
  })
  const found = largestGap(causes)
  const gap = found && isPlain && !isWorthAdvice(found.accelerator_s, whole, accelerators) ? undefined : found
  const productive = sumOf(measured, PRODUCTIVE)
  const atPeak = predicted?.mfu === undefined || isPlain ? undefined : predicted.mfu * predicted.step_s * steps * accelerators
  return {
    run: run.run,
    state: run.state,
    from_at: createdAt,
    to_at: until,
    wall_s: Math.max(0, until - createdAt),
    accelerators,
    steps,
    causes,
    goodput: goodputOf(measured, { peak_accelerator_s: atPeak ?? 0, rated_accelerator_s: atPeak === undefined ? 0 : productive }),
    ...spendingFor(rates, whole - sumOf(measured, NOT_HELD)),
    ...(gap && { gap }),
    recoveries: recoveries(run, taken),
    ...strategyReport(run),
  }
}

/** Of the last attempt whose program said what it runs with. */
function strategyReport({ attempts, planned, nodes }: RunFacts): Pick<Ledger, 'running' | 'deviations'> {
  const told = attempts.findLast((attempt) => attempt.running)
  if (!told?.running) return {}
  const { running } = told
  return { running, ...(planned && { deviations: deviations({ planned, running, share: told.nodes / nodes }) }) }
}

function acceleratorSeconds(books: readonly Book[], accelerators: number): ReadonlyMap<TimeCause, number> {
  const found = new Map<TimeCause, number>()
  const add = (cause: TimeCause, span: number): unknown => found.set(cause, (found.get(cause) ?? 0) + span / TICKS_PER_S)
  for (const book of books)
    for (const [cause, span] of book.ticks) {
      add(cause, span * book.accelerators)
      add('smaller than planned', span * (accelerators - book.accelerators))
    }
  return found
}

/** Of the steps done: what each is made of, and their part of what the whole run is expected to lose. */
function predictedSeconds(predicted: RunPrediction | undefined, steps: number, accelerators: number): ReadonlyMap<TimeCause, number> {
  const found = new Map<TimeCause, number>()
  const add = (cause: TimeCause, time_s: number): unknown => found.set(cause, (found.get(cause) ?? 0) + time_s * accelerators)
  for (const part of STEP_CAUSES) {
    const time_s = predicted?.causes_s[part]
    if (time_s !== undefined) add(STEP_CAUSE_INFO[part].ledger, time_s * steps)
  }
  const { losses } = predicted ?? {}
  if (losses)
    for (const cause of TIME_CAUSES) {
      const time_s = losses.seconds[cause]
      if (time_s !== undefined) add(cause, (time_s * steps) / losses.steps)
    }
  return found
}

type Rates = { readonly cost_usd: number | undefined; readonly energy_j: number | undefined; readonly carbon_g: number | undefined }

/** Per accelerator and second: the plan's totals, which its laws make of price, power, PUE and grid, over its accelerator-seconds. */
function ratesOf({ cost_usd, energy_j, carbon_g, duration_s, devices }: Partial<RunPrediction> = {}): Rates {
  const rate = (total: number | undefined): number | undefined =>
    total === undefined || !duration_s || !devices ? undefined : total / (duration_s * devices)
  return { cost_usd: rate(cost_usd), energy_j: rate(energy_j), carbon_g: rate(carbon_g) }
}

function spendingFor({ cost_usd, energy_j, carbon_g }: Rates, accelerator_s: number): Spending {
  return {
    ...(cost_usd !== undefined && { cost_usd: accelerator_s * cost_usd }),
    ...(energy_j !== undefined && { energy_j: accelerator_s * energy_j }),
    ...(carbon_g !== undefined && { carbon_g: accelerator_s * carbon_g }),
  }
}

function largestGap(causes: readonly LedgerEntry[]): Ledger['gap'] {
  const gaps = gapsOf(causes)
  return gapWithAdvice(causes.map(({ cause }) => ({ cause, accelerator_s: gaps.get(cause) ?? 0 })))
}

/** Of a program that reports no steps seconds of waiting are no gap: there is no prediction that would make them one. */
const WORTH_ADVICE = { share: 0.05, time_s: 60 }

const isWorthAdvice = (accelerator_s: number, whole: number, accelerators: number): boolean =>
  accelerator_s >= WORTH_ADVICE.share * whole && accelerator_s >= WORTH_ADVICE.time_s * accelerators

function recoveries({ attempts, state }: RunFacts, steps: readonly AttemptSteps[]): Recovery[] {
  return attempts.flatMap((attempt, index): Recovery[] => {
    const { number, endedAt, outcome } = attempt
    const fault_at = faultTime(attempt)
    const next = attempts[index + 1]
    if (endedAt === undefined || !outcome || (!next && isTerminal(state))) return []
    const { last, lost = 0 } = steps[index] ?? {}
    const { first } = steps[index + 1] ?? {}
    return [
      {
        attempt: number,
        cause: outcome.cause,
        detail: outcome.detail,
        ...(last && { last_step_at: last.at }),
        ...(fault_at !== undefined && { fault_at }),
        detected_at: endedAt,
        ...(next && { resubmitted_at: next.submittedAt }),
        ...(next?.startedAt !== undefined && { allocated_at: next.startedAt }),
        ...(next?.attachedAt !== undefined && { started_at: next.attachedAt }),
        ...(first && { first_step_at: first.at }),
        lost_steps: lost,
      },
    ]
  })
}
