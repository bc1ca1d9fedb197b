// Evidence that a share of bad answers (errors, failed probes) is worse at the canary: a Bernoulli likelihood ratio of "the control's share
// plus the margin" against "the control's share". The control takes most of the traffic, so its share counts as known.

export type Tally = { readonly total: number; readonly bad: number }

/** A control without a single bad answer is not taken for perfect: one bad answer of the canary alone would decide. */
const LEAST_SHARE = 0.001

export function rateEvidence({ control, canary, margin }: { control: Tally; canary: Tally; margin: number }): number {
  const asGood = Math.min(1 - margin, Math.max(LEAST_SHARE, (control.bad + 0.5) / (control.total + 1)))
  const worse = Math.min(1 - LEAST_SHARE, asGood + margin)
  return canary.bad * Math.log(worse / asGood) + (canary.total - canary.bad) * Math.log((1 - worse) / (1 - asGood))
}
