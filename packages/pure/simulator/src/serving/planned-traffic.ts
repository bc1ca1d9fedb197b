// Traffic as a plan states it: requests at random, lengths that vary as users' do, prompts that begin alike where a share is cached.

import { LENGTH_VARIATION, type ServingPlan } from '@ironlaw/contracts'
import { type Arrivals, drawnArrivals, logNormalLength } from './arrivals.ts'
import { type SharedPrefix, sharedPrefix } from './shared-prefix.ts'

type TrafficDraw = {
  readonly count: number
  readonly seed: number
  /** Tokens of prompt and answer that the model takes. */
  readonly longest?: number | undefined
}

/** Arrivals are used up by one simulation. */
export type PlannedTraffic = { readonly arrivals: Arrivals; readonly prefix: SharedPrefix | undefined }

export function plannedTraffic(traffic: ServingPlan['traffic'], { count, seed, longest = Infinity }: TrafficDraw): PlannedTraffic {
  const drawn = drawnArrivals({
    requests_per_s: traffic.requests_per_s,
    burstiness: 1,
    prompt: logNormalLength(traffic.input_tokens, LENGTH_VARIATION, longest - traffic.output_tokens),
    output: logNormalLength(traffic.output_tokens, LENGTH_VARIATION, longest - traffic.input_tokens),
    count,
    seed,
  })
  const prefix = traffic.cachedPrompt > 0 ? sharedPrefix(traffic) : undefined
  return { arrivals: prefix?.of(drawn) ?? drawn, prefix }
}
