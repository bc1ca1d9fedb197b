// One HTTP request to a server of OpenAI's API. What passes by itself is asked again: a server that is busy, starts or restarts.

import { setTimeout as delay } from 'node:timers/promises'
import { IronlawError } from '@ironlaw/contracts'

export type EngineAddress = {
  readonly url: string
  readonly key?: string
  /** What the request is about, for errors. */
  readonly asked?: string
  /** Seconds before the second try; doubled each time. */
  readonly retry_s?: number
}

const RETRY_S = 0.5
/** About a minute in all. */
const MOST_TRIES = 8
/** Of one answer: longer than any engine takes for the longest. */
const ANSWER_S = 1800
const MOST_SHOWN = 300

export async function requestEngine(address: EngineAddress, path: string, body?: object): Promise<unknown> {
  for (let tries = 1; ; tries += 1) {
    const answer = await tryOnce(address, path, body)
    if (answer.state === 'answered') return answer.json
    if (answer.state === 'refused' || tries === MOST_TRIES) throw engineError(address, answer.why)
    await delay(1000 * (address.retry_s ?? RETRY_S) * 2 ** (tries - 1))
  }
}

type Tried =
  | { readonly state: 'answered'; readonly json: unknown }
  /** Asking again is pointless, or may help. */
  | { readonly state: 'refused' | 'away'; readonly why: string }

async function tryOnce({ url, key }: EngineAddress, path: string, body?: object): Promise<Tried> {
  try {
    const answer = await fetch(`${url.replace(/\/+$/, '')}${path}`, {
      signal: AbortSignal.timeout(1000 * ANSWER_S),
      headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (answer.ok) return { state: 'answered', json: JSON.parse(text) as unknown }
    const isPassing = answer.status === 429 || answer.status >= 500
    return { state: isPassing ? 'away' : 'refused', why: `status ${answer.status}: ${text.slice(0, MOST_SHOWN)}` }
  } catch (cause) {
    if (cause instanceof SyntaxError) return { state: 'refused', why: `its answer is not JSON: ${cause.message}` }
    const inner = cause instanceof Error ? (cause.cause ?? cause) : cause
    return { state: 'away', why: inner instanceof Error ? inner.message || inner.name : String(inner) }
  }
}

export const engineError = ({ url, asked }: EngineAddress, reason: string): IronlawError =>
  new IronlawError('IL_ENGINE', { url, reason: asked === undefined ? reason : `${asked}: ${reason}` })
