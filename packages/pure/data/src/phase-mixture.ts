// What an order mixes: how many samples of each source every phase takes, and how often a source has been gone through by its end.

import { dataOrder, type OrderPlan } from './data-order.ts'

type SourceShare = {
  readonly source: string
  /** Of the positions of the phase. */
  readonly share: number
  /** Samples that the phase takes, up to the end that is looked at. */
  readonly samples: number
  /** How often all samples of the source were shown by then, since the beginning of training. */
  readonly epochs: number
}

export type PhaseMixture = {
  readonly start: number
  readonly end: number
  /** It goes on behind the end that is looked at. */
  readonly isCut: boolean
  readonly shares: readonly SourceShare[]
}

/** Phases up to a position; those that begin behind it are left out. */
export function phaseMixtures(plan: OrderPlan, until: number): readonly PhaseMixture[] {
  const order = dataOrder(plan)
  const sizes = new Map(plan.sources.map(({ name, samples }) => [name, samples]))
  const phases: PhaseMixture[] = []
  for (const { until: written = Number.POSITIVE_INFINITY, sources } of plan.phases) {
    const start = phases.at(-1)?.end ?? 0
    if (start >= until) break
    const end = Math.min(written, until)
    const whole = sources.reduce((sum, { weight }) => sum + weight, 0)
    const shares = sources.map(({ source, weight }): SourceShare => {
      const taken = order.taken(source, end)
      return {
        source,
        share: weight / whole,
        samples: taken - order.taken(source, start),
        epochs: taken / (sizes.get(source) ?? 1),
      }
    })
    phases.push({ start, end, isCut: end < written, shares })
  }
  return phases
}

/** Where an order ends; of one without end, about where its last phase has shown all samples of each of its sources. */
export function orderEnd(plan: OrderPlan): number {
  const last = plan.phases.at(-1)
  if (last?.until !== undefined) return last.until
  const start = plan.phases.at(-2)?.until ?? 0
  const order = dataOrder(plan)
  const whole = last?.sources.reduce((sum, { weight }) => sum + weight, 0) ?? 1
  const lengths = (last?.sources ?? []).map(({ source, weight }) => {
    const samples = plan.sources.find(({ name }) => name === source)?.samples ?? 0
    return Math.ceil((Math.max(0, samples - order.taken(source, start)) * whole) / weight)
  })
  // As long as all before where nothing new is left, so that it can be seen.
  return start + (Math.max(0, ...lengths) || Math.max(1, start))
}
