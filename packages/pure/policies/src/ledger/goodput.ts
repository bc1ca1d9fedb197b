// What follows from time by cause, for one run and for many: shares, the factors of goodput, the largest gap.

import { GAP_ADVICE, type Goodput, type Ledger, type TimeCause, type LedgerEntry } from '@ironlaw/contracts/ledger'
import type { BookCounts } from '@ironlaw/contracts/ledger-fleet'

/** No accelerators are held or paid for during these. */
export const NOT_HELD: readonly TimeCause[] = ['queue', 'allocation', 'recovery', 'smaller than planned']

/** Steps that count are made of these. What a program does not name is taken for work: it is inside of steps. */
export const PRODUCTIVE: readonly TimeCause[] = ['compute', 'exposed communication', 'bubble', 'straggler', 'other']

type MeasuredByCause = ReadonlyMap<TimeCause, number>

export const sumOf = (measured: MeasuredByCause, causes: readonly TimeCause[]): number =>
  causes.reduce((sum, cause) => sum + (measured.get(cause) ?? 0), 0)

export const shareOf = (part: number, whole: number): number => (whole > 0 ? Math.min(1, Math.max(0, part / whole)) : 0)

type RatedTime = Pick<BookCounts, 'peak_accelerator_s' | 'rated_accelerator_s'>

export function goodputOf(measured: MeasuredByCause, { peak_accelerator_s, rated_accelerator_s }: RatedTime): Goodput {
  const whole = sumOf(measured, [...measured.keys()])
  const held = whole - sumOf(measured, NOT_HELD)
  const productive = sumOf(measured, PRODUCTIVE)
  // What a program did that reports no steps is not known, neither as good nor as lost.
  const unknown = measured.get('running') ?? 0
  return {
    scheduling: shareOf(held, whole),
    ...((unknown === 0 || productive > 0) && { runtime: shareOf(productive, held - unknown) }),
    ...(rated_accelerator_s > 0 && { program: peak_accelerator_s / rated_accelerator_s }),
  }
}

/** Time beyond the prediction. What the plan does not foresee is one in full; where nothing was predicted the work itself is none. */
export function gapsOf(causes: readonly LedgerEntry[]): MeasuredByCause {
  const work: readonly TimeCause[] = hasPrediction(causes) ? ['running'] : ['running', 'compute', 'other']
  return new Map(
    causes.map(({ cause, accelerator_s, predicted_accelerator_s = 0 }) => [
      cause,
      work.includes(cause) ? 0 : accelerator_s - predicted_accelerator_s,
    ]),
  )
}

export const hasPrediction = (causes: readonly LedgerEntry[]): boolean =>
  causes.some(({ predicted_accelerator_s }) => predicted_accelerator_s !== undefined)

export function gapWithAdvice(gaps: readonly { readonly cause: TimeCause; readonly accelerator_s: number }[]): Ledger['gap'] {
  const [first] = gaps.toSorted((a, b) => b.accelerator_s - a.accelerator_s)
  return first && first.accelerator_s > 0 ? { ...first, next: GAP_ADVICE[first.cause] } : undefined
}
