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
  const { requests_per_s, input_tokens, output_tokens } = traffic
  // Requests that are too long on average are not what the model serves, and the plan says so.
  const most = input_tokens + output_tokens < longest ? longest : Infinity
  const prompt = logNormalLength(input_tokens, LENGTH_VARIATION, most - output_tokens)
  const output = logNormalLength(output_tokens, LENGTH_VARIATION)
  const drawn = cutAnswers(drawnArrivals({ requests_per_s, burstiness: 1, prompt, output, count, seed }), most)
  const prefix = traffic.cachedPrompt > 0 ? sharedPrefix(traffic) : undefined
  return { arrivals: prefix?.of(drawn) ?? drawn, prefix }
}

/** An answer ends where the model's context does. */
const cutAnswers =
  (arrivals: Arrivals, longest: number): Arrivals =>
  (into) => {
    const isThere = arrivals(into)
    into.output = Math.max(1, Math.min(into.output, longest - into.prompt))
    return isThere
  }
