// Wald's sequential probability ratio test (A. Wald, Sequential Tests of Statistical Hypotheses, 1945): look as often as you like, stop as
// soon as the evidence suffices. Under "as good" the evidence for "worse" ever reaches log((1 - b) / a) with probability at most
// a / (1 - b); under "worse" it ever falls to log(b / (1 - a)) with probability at most b / (1 - a).

export type Verdict = 'worse' | 'as-good' | 'undecided'

/** What may go wrong, and how often: a good revision rolled back, a bad one promoted. */
export type Risk = { readonly falseRollback: number; readonly falsePromotion: number }

/** From `worse` on it is found worse, from `asGood` down as good. */
export type Bounds = { readonly worse: number; readonly asGood: number }

export const boundsOf = ({ falseRollback, falsePromotion }: Risk): Bounds => ({
  worse: Math.log((1 - falsePromotion) / falseRollback),
  asGood: Math.log(falsePromotion / (1 - falseRollback)),
})

export const verdictOf = (evidence: number, { worse, asGood }: Bounds): Verdict =>
  evidence >= worse ? 'worse' : evidence <= asGood ? 'as-good' : 'undecided'
