// Clients that ask one question after another with the official library, and remember what became of each.

import OpenAI from 'openai'

/** `cut`: some of the answer had come. `lost`: nothing had. */
export type Fate = 'answered' | 'cut' | 'lost'

export type LoadOptions = {
  readonly url: string
  readonly key: string
  readonly workers: number
  readonly model?: string
  readonly onAnswer?: (text: string) => void
}

export class ClientLoad {
  readonly #client: OpenAI
  readonly #model: string
  readonly #onAnswer: (text: string) => void
  readonly #workers: Promise<void>[]
  #stopped = false
  #count = 0
  readonly counts: Record<Fate, number> = { answered: 0, cut: 0, lost: 0 }
  readonly problems = new Set<string>()

  constructor({ url, key, workers, model = 'chat', onAnswer = () => undefined }: LoadOptions) {
    this.#model = model
    this.#onAnswer = onAnswer
    this.#client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0, timeout: 60_000 })
    this.#workers = Array.from({ length: workers }, () => this.#work())
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#workers)
  }

  /** What was counted since the last time this was asked. */
  takeCounts(): Record<Fate, number> {
    const taken = { ...this.counts }
    for (const fate of ['answered', 'cut', 'lost'] as const) this.counts[fate] = 0
    return taken
  }

  async #work(): Promise<void> {
    while (!this.#stopped) this.counts[await this.#sendRequest()] += 1
  }

  async #sendRequest(): Promise<Fate> {
    let text = ''
    try {
      const messages = [{ role: 'user' as const, content: `question ${(this.#count += 1)}` }]
      const stream = await this.#client.chat.completions.create({
        model: this.#model,
        messages,
        max_tokens: 12,
        temperature: 0,
        stream: true,
      })
      for await (const { choices } of stream) text += choices[0]?.delta.content ?? ''
      this.#onAnswer(text)
      return 'answered'
    } catch (cause) {
      this.problems.add(String(cause).slice(0, 200))
      return text !== '' ? 'cut' : 'lost'
    }
  }
}
