// Clients that ask one request after another, go to the other gateway when one does not answer, and remember what became of each.

import type { Deployment } from './deployment.ts'
import { MODEL } from './deployment.ts'
import { KEY } from '../../../packages/effects/gateway/test/setting.ts'

export type Fate =
  /** A whole answer, with its cost. */
  | 'answered'
  /** Bytes came, then an error that clients notice. */
  | 'cut'
  /** No byte came but a status that says when to come again. */
  | 'refused'
  /** No byte came from a gateway that died; another one was asked. */
  | 'failed-over'
  /** Anything else: what must not happen. */
  | 'lost'

export type Outcome = { readonly fate: Fate; readonly gateway: number; readonly usage: Usage; readonly detail?: string }
type Usage = { readonly prompt_tokens: number; readonly completion_tokens: number }

const NOTHING: Usage = { prompt_tokens: 0, completion_tokens: 0 }
const GIVE_UP_MS = 60_000
export const TOKENS = 80

export class SteadyLoad {
  readonly outcomes: Outcome[] = []
  readonly #deployment: Deployment
  readonly #workers: Promise<void>[] = []
  #stopped = false
  #count = 0

  constructor(deployment: Deployment, workers: number) {
    this.#deployment = deployment
    for (let worker = 0; worker < workers; worker += 1) this.#workers.push(this.#work(worker))
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#workers)
  }

  async #work(worker: number): Promise<void> {
    const gateways = this.#deployment.gateways.length
    for (let turn = worker; !this.#stopped; turn += 1) {
      const gateway = turn % gateways
      // As a load balancer would: what is known to be dead is not asked.
      if (this.#isDead(gateway)) continue
      const outcome = await this.#sendRequest(gateway)
      this.outcomes.push(outcome)
      if (outcome.fate === 'refused') await new Promise((done) => setTimeout(done, 200))
    }
  }

  #isDead(gateway: number): boolean {
    const process = this.#deployment.gateways[gateway]?.process
    return process?.exitCode !== null || process.signalCode !== null
  }

  async #sendRequest(gateway: number): Promise<Outcome> {
    const number = (this.#count += 1)
    const stream = number % 2 === 0
    const body = { model: MODEL, messages: [{ role: 'user', content: `request ${number}` }], max_tokens: TOKENS, ignore_eos: true, stream }
    const part = this.#deployment.gateways[gateway]
    const dead = (): boolean => this.#isDead(gateway)
    const answer = await fetch(`${part?.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
      body: JSON.stringify(stream ? { ...body, stream_options: { include_usage: true } } : body),
      signal: AbortSignal.timeout(GIVE_UP_MS),
    }).catch((cause: unknown) => String(cause instanceof Error ? (cause.cause ?? cause) : cause))
    const outcome = (fate: Fate, usage = NOTHING, detail?: string): Outcome => ({
      fate,
      gateway,
      usage,
      ...(detail !== undefined && { detail }),
    })
    if (typeof answer === 'string') return (await becomesTrue(dead)) ? outcome('failed-over') : outcome('lost', NOTHING, answer)
    const text = await answer.text().catch((cause: unknown) => (cause instanceof Error ? cause : new Error('cut')))
    if (typeof text !== 'string') return (await becomesTrue(dead)) ? outcome('cut') : outcome('lost', NOTHING, text.message)
    if (!answer.ok) {
      const retryable = answer.status >= 429 && answer.headers.get('x-should-retry') !== 'false'
      return outcome(retryable ? 'refused' : 'lost', NOTHING, `${answer.status} ${text.slice(0, 200)}`)
    }
    return stream ? streamOutcome(text, outcome) : outcome('answered', usageIn(text))
  }
}

/** A process that was killed may be seen as such only a moment after its connections broke. */
async function becomesTrue(holds: () => boolean): Promise<boolean> {
  for (let look = 0; look < 20 && !holds(); look += 1) await new Promise((done) => setTimeout(done, 50))
  return holds()
}

type MakeOutcome = (fate: Fate, usage?: Usage, detail?: string) => Outcome

/** Exactly one end, and exactly as many pieces of text as the usage says; the model's tokens are bytes. */
function streamOutcome(text: string, outcome: MakeOutcome): Outcome {
  if (text.includes('"error"')) return outcome('cut')
  const ends = text.match(/"finish_reason":"(?:stop|length)"/g)?.length ?? 0
  const dones = text.match(/^data: \[DONE\]$/gm)?.length ?? 0
  if (ends !== 1 || dones !== 1) return outcome('lost', NOTHING, `${ends} ends and ${dones} times [DONE]: ${text.slice(-300)}`)
  return outcome('answered', usageIn(text))
}

function usageIn(text: string): Usage {
  const count = (name: string): number => Number(new RegExp(`"${name}":(\\d+)`).exec(text)?.[1] ?? Number.NaN)
  return { prompt_tokens: count('prompt_tokens'), completion_tokens: count('completion_tokens') }
}
