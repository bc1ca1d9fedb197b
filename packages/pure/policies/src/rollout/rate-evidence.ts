// Evidence that a share of bad answers (errors, failed probes) is worse at the canary: a Bernoulli likelihood ratio of "the control's share
// plus the margin" against "the control's share". The control takes most of the traffic, so its share counts as known.

export type Tally = { readonly total: number; readonly bad: number }

/** A control without a single bad answer is not taken for perfect: one bad answer of the canary alone would decide. */
const LEAST_SHARE = 0.001

type Rates = { readonly asGood: number; readonly worse: number }

export const rateEvidence = ({ control, canary, margin }: { control: Tally; canary: Tally; margin: number }): number =>
  logLikelihood(ratesOf(control, margin), canary)

/** Answers after which a canary as good as the control is expected to be found so. */
export const rateSamplesNeeded = (control: Tally, { margin, asGood }: RateTestInputs): number =>
  expectedSamples(ratesOf(control, margin), asGood)

/** `asGood` is the bound down from which a test finds that. */
export type RateTestInputs = { readonly margin: number; readonly asGood: number }

/** Of "worse" against "as good", as logarithms. */
export const logLikelihood = ({ asGood, worse }: Rates, { total, bad }: Tally): number =>
  bad * Math.log(worse / asGood) + (total - bad) * Math.log((1 - worse) / (1 - asGood))

/** Wald's approximation: the bound over what one answer is expected to add. */
export const expectedSamples = (rates: Rates, bound: number): number => bound / logLikelihood(rates, { total: 1, bad: rates.asGood })

function ratesOf(control: Tally, margin: number): Rates {
  const asGood = Math.min(1 - margin, Math.max(LEAST_SHARE, (control.bad + 0.5) / (control.total + 1)))
  return { asGood, worse: Math.min(1 - LEAST_SHARE, asGood + margin) }
}
