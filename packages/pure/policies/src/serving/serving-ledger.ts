// Where the time of requests went, compared with the prediction. Every second between a client's request and the end of its answer
// falls to one cause.

export const SERVING_CAUSES = ['cold start', 'retries', 'network', 'queue', 'prefill', 'decode'] as const
export type ServingCause = (typeof SERVING_CAUSES)[number]
export type CauseSeconds = Readonly<Record<ServingCause, number>>

export type ServingEntry = {
  readonly cause: ServingCause
  readonly measured_s: number
  /** Of the measured whole. */
  readonly share: number
  readonly predicted_s: number
}

export type ServingLedger = {
  readonly requests: number
  readonly wall_s: number
  readonly causes: readonly ServingEntry[]
  /** What no cause explains, over the whole. */
  readonly unexplained: number
  /** The cause that is furthest from its prediction; seconds above it are positive. */
  readonly gap: { readonly cause: ServingCause; readonly seconds: number }
}

export type ServedRequest = { readonly latency_s: number; readonly causes: CauseSeconds }

export function servingLedger(measured: readonly ServedRequest[], predicted: readonly ServedRequest[]): ServingLedger {
  const wall_s = measured.reduce((sum, { latency_s }) => sum + latency_s, 0)
  const total = (served: readonly ServedRequest[], cause: ServingCause): number =>
    served.reduce((sum, { causes }) => sum + causes[cause], 0)
  const causes = SERVING_CAUSES.map((cause): ServingEntry => {
    const measured_s = total(measured, cause)
    return { cause, measured_s, share: measured_s / wall_s, predicted_s: total(predicted, cause) }
  })
  const gaps = causes.map(({ cause, measured_s, predicted_s }) => ({ cause, seconds: measured_s - predicted_s }))
  const gap = gaps.reduce((most, each) => (Math.abs(each.seconds) > Math.abs(most.seconds) ? each : most))
  const unexplained = 1 - causes.reduce((sum, { share }) => sum + share, 0)
  return { requests: measured.length, wall_s, causes, unexplained, gap }
}
