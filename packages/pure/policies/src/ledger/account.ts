// The ledger of a run: its time by cause beside the prediction of its plan, with goodput, money and every recovery.

import { isTerminal } from '@ironlaw/contracts'
import { CLOSES, LEDGER_CAUSES, type Ledger, type LedgerCause, type LedgerEntry, type Recovery } from '@ironlaw/contracts/ledger'
import { TICKS_PER_S } from './books.ts'
import { divide } from './divide.ts'
import { faultOf, type Predicted, type RunFacts, withLosses } from './facts.ts'

/** Nobody holds, or pays for, accelerators in these. */
const NOT_HELD: readonly LedgerCause[] = ['queue', 'allocation', 'recovery', 'smaller than planned']

/** Steps that count are made of these. What a program does not name is taken for work: it is inside of steps. */
const PRODUCTIVE: readonly LedgerCause[] = ['compute', 'exposed communication', 'bubble', 'straggler', 'other']

/** The plan's causes of a step under the ledger's. Its `data` is the exchange of data parallelism; it foresees no stall for input. */
const PREDICTED_AS: Readonly<Record<string, LedgerCause>> = {
  products: 'compute',
  attention: 'compute',
  vector: 'compute',
  recompute: 'compute',
  launch: 'compute',
  optimizer: 'compute',
  offload: 'compute',
  tensor: 'exposed communication',
  context: 'exposed communication',
  expert: 'exposed communication',
  send: 'exposed communication',
  data: 'exposed communication',
  bubble: 'bubble',
  straggler: 'straggler',
}

export function account(run: RunFacts): Ledger {
  const { createdAt, until, predicted } = run
  const accelerators = run.nodes * run.processesPerNode
  const measured = acceleratorSeconds(run, accelerators)
  const of = (causes: readonly LedgerCause[]): number => causes.reduce((sum, cause) => sum + (measured.get(cause) ?? 0), 0)
  const whole = of(LEDGER_CAUSES)
  const share = (part: number, all: number): number => (all > 0 ? Math.min(1, Math.max(0, part / all)) : 0)
  const steps = stepsThatCount(run)
  const foreseen = predictedSeconds(predicted, steps * accelerators)
  const rate = priceOf(predicted)
  const causes = LEDGER_CAUSES.map((cause): LedgerEntry => {
    const accelerator_s = measured.get(cause) ?? 0
    const expected = foreseen.get(cause)
    return {
      cause,
      accelerator_s,
      share: share(accelerator_s, whole),
      ...(expected !== undefined && { predicted_accelerator_s: expected }),
      ...(rate !== undefined && { cost_usd: NOT_HELD.includes(cause) ? 0 : accelerator_s * rate }),
    }
  })
  const held = whole - of(NOT_HELD)
  const productive = of(PRODUCTIVE)
  const gap = largestGap(causes)
  return {
    run: run.run,
    state: run.state,
    from_at: createdAt,
    to_at: until,
    wall_s: Math.max(0, until - createdAt),
    accelerators,
    steps,
    causes,
    goodput: {
      scheduling: share(held, whole),
      runtime: share(productive, held),
      ...(predicted?.mfu !== undefined &&
        productive > 0 && { program: (predicted.mfu * predicted.step_s * steps * accelerators) / productive }),
    },
    ...(rate !== undefined && { cost_usd: held * rate }),
    ...(gap && { gap }),
    recoveries: recoveries(run),
  }
}

function acceleratorSeconds(run: RunFacts, accelerators: number): ReadonlyMap<LedgerCause, number> {
  const found = new Map<LedgerCause, number>()
  const add = (cause: LedgerCause, span: number): unknown => found.set(cause, (found.get(cause) ?? 0) + span / TICKS_PER_S)
  for (const book of divide(run))
    for (const [cause, span] of book.ticks) {
      add(cause, span * book.accelerators)
      add('smaller than planned', span * (accelerators - book.accelerators))
    }
  return found
}

/** How far the run has come: its last step that no later attempt did again. */
function stepsThatCount({ attempts }: RunFacts): number {
  const kept = withLosses(attempts).flatMap(({ steps, lostFrom }) => steps.findLast(({ step }) => step < lostFrom)?.step ?? [])
  return Math.max(0, ...kept)
}

function predictedSeconds(predicted: Predicted | undefined, stepsTimesAccelerators: number): ReadonlyMap<LedgerCause, number> {
  const found = new Map<LedgerCause, number>()
  for (const [name, time_s] of Object.entries(predicted?.causes_s ?? {})) {
    const cause = PREDICTED_AS[name] ?? 'other'
    found.set(cause, (found.get(cause) ?? 0) + time_s * stepsTimesAccelerators)
  }
  return found
}

/** Dollars per accelerator and second. */
function priceOf(predicted: Predicted | undefined): number | undefined {
  const { cost_usd, duration_s, devices } = predicted ?? {}
  return cost_usd === undefined || !duration_s || !devices ? undefined : cost_usd / (duration_s * devices)
}

/** Where nothing was predicted computing itself is no gap. */
function largestGap(causes: readonly LedgerEntry[]): Ledger['gap'] {
  const planned = causes.some(({ predicted_accelerator_s }) => predicted_accelerator_s !== undefined)
  const gaps = causes
    .filter(({ cause }) => planned || cause !== 'compute')
    .map(({ cause, accelerator_s, predicted_accelerator_s = 0 }) => ({ cause, accelerator_s: accelerator_s - predicted_accelerator_s }))
    .toSorted((a, b) => b.accelerator_s - a.accelerator_s)
  const [largest] = gaps
  return largest && largest.accelerator_s > 0 ? { ...largest, next: CLOSES[largest.cause] } : undefined
}

function recoveries({ attempts, state }: RunFacts): Recovery[] {
  return withLosses(attempts).flatMap((attempt, index): Recovery[] => {
    const { number, endedAt, outcome, steps, lostFrom } = attempt
    const fault_at = faultOf(attempt)
    const next = attempts[index + 1]
    if (endedAt === undefined || !outcome || (!next && isTerminal(state))) return []
    const last = steps.at(-1)
    const [first] = next?.steps ?? []
    return [
      {
        attempt: number,
        cause: outcome.cause,
        detail: outcome.detail,
        ...(last && { last_step_at: last.at }),
        ...(fault_at !== undefined && { fault_at }),
        detected_at: endedAt,
        ...(next && { resubmitted_at: next.submittedAt }),
        ...(next?.startedAt !== undefined && { started_at: next.startedAt }),
        ...(first && { first_step_at: first.at }),
        lost_steps: steps.filter(({ step }) => step >= lostFrom).length,
      },
    ]
  })
}
