// Requests drawn by a seed: when they come, what they ask, and how long an answer they want. The texts are of the model's characters, one
// token each, so that the simulator and the engine count alike.

import { drawnArrivals, logNormalLength, RandomStream, type TraceRow } from '@ironlaw/simulator/serving'
import { BLOCK_CHARACTERS } from '@ironlaw/policies/serving'

export type Request = { readonly at_s: number; readonly prompt: string; readonly output: number; readonly session?: number }

/** `text` draws other words for the same arrivals, lengths and sessions, which no engine has seen yet. */
export type DrawOptions = {
  readonly requests_per_s: number
  readonly count: number
  readonly seed: number
  readonly sessions?: number
  readonly text?: number
}

const [PROMPT, LONGEST_PROMPT] = [100, 360]
const [ANSWER, LONGEST_ANSWER] = [32, 96]
/** Of a session: the context that its requests share, which is one block of the gateway's index, and what each adds. */
const [SHARED, QUESTION, LONGEST_QUESTION] = [BLOCK_CHARACTERS, 40, 96]
const [FIRST_CHARACTER, CHARACTERS] = [33, 94]

export function drawnRequests({ requests_per_s, count, seed, sessions, text: words = 0 }: DrawOptions): readonly Request[] {
  const texts = new RandomStream([seed, 21, words])
  const turns = new RandomStream([seed, 22])
  const text = (length: number): string =>
    Array.from({ length }, () => String.fromCharCode(FIRST_CHARACTER + texts.below(CHARACTERS))).join('')
  const contexts = Array.from({ length: sessions ?? 0 }, () => text(SHARED))
  const arrivals = drawnArrivals({
    requests_per_s,
    burstiness: 1,
    prompt: sessions === undefined ? logNormalLength(PROMPT, 0.6, LONGEST_PROMPT) : logNormalLength(QUESTION, 0.4, LONGEST_QUESTION),
    output: logNormalLength(ANSWER, 0.6, LONGEST_ANSWER),
    count,
    seed,
  })
  const next = { at: 0, prompt: 0, output: 0, tenant: 0, priority: 0, adapter: 0, session: 0, hashFirst: 0, hashCount: 0 }
  const made: Request[] = []
  while (arrivals(next)) {
    const session = sessions === undefined ? undefined : turns.below(sessions)
    const prompt = `${session === undefined ? '' : contexts[session]}${text(next.prompt)}`
    made.push({ at_s: next.at, prompt, output: Math.max(2, next.output), ...(session !== undefined && { session }) })
  }
  // From the first request on, as a trace counts.
  const [first] = made
  return made.map((request) => ({ ...request, at_s: request.at_s - (first?.at_s ?? 0) }))
}

/** As the simulator takes them. */
export const rowsOf = (requests: readonly Request[]): readonly TraceRow[] =>
  requests.map(({ at_s, prompt, output, session }) => ({
    at_s,
    prompt: prompt.length,
    output,
    hashes: session === undefined ? [] : [session],
  }))
