// Whether the loss went bad: not a number, or far above what it was. A spike that heals by itself within a few steps is left alone,
// as the published runs did (PaLM and OPT went back only when it stayed).

import { median } from '@ironlaw/laws/quantile'

/** Without a loss: the program reports none. Null: it is not a finite number. */
export type LossRow = { readonly step: number; readonly loss?: number | null }

export type LossVerdict = { readonly step: number; readonly what: string }

/** So many bad steps in a row, so that one bad batch does not cost a rollback. */
const BAD_STEPS = 5
/** Rows behind the suspicion that say what is usual. */
const USUAL = 50
/** Robust standard deviations above the usual; 8 of them do not happen by chance in a million steps of a normal tail. */
const FAR = 8

/** The first bad step of a bad stretch that reaches to the newest row. */
export function judgeLoss(all: readonly LossRow[]): LossVerdict | undefined {
  const rows = all.filter((row) => row.loss !== undefined)
  const missing = rows.find((row) => row.loss === null)
  if (missing) return { step: missing.step, what: `loss is not a number at step ${missing.step}` }
  const recent = rows.slice(-BAD_STEPS)
  const before = rows.slice(-BAD_STEPS - USUAL, -BAD_STEPS).map((row) => row.loss ?? 0)
  const [first] = recent
  if (!first || recent.length < BAD_STEPS || before.length < USUAL) return undefined
  const middle = median(before)
  const spread = 1.4826 * median(before.map((loss) => Math.abs(loss - middle)))
  const limit = middle + FAR * Math.max(spread, 0.01 * Math.abs(middle))
  if (!recent.every((row) => (row.loss ?? Number.POSITIVE_INFINITY) > limit)) return undefined
  return {
    step: first.step,
    what: `loss rose from ${middle.toFixed(3)} to ${(recent.at(-1)?.loss ?? 0).toFixed(3)} at step ${first.step} and stayed`,
  }
}
