// Counts the answers that clients got, as the revision that answered and the class of the tenant that asked. Lengths are counted of every answer,
// what has to be read out of the text of a sample, after the client has its bytes.

import type { CompletionRequest } from '../front/completion-request.ts'
import { contain } from '../front/edge.ts'
import type { Usage } from '../delivery/usage.ts'
import { type SampledContent, type SampleDepth, StreamSample, wholeContent } from './answer-sample.ts'
import { countAnswer } from './count-answer.ts'
import { LanguageThread } from './language-thread.ts'
import { type CountedWindow, ProfileWindows } from './profile-windows.ts'

/** Shares of the answers, by which profiling stays below 2 % of the processor time of a gateway. */
export type ProfilingShares = {
  readonly plain: number
  /** Of these also what costs most: language, log-probability, embedding. */
  readonly thorough: number
}

const PROFILING_SHARES: ProfilingShares = { plain: 1 / 16, thorough: 1 / 128 }

export type ProfilerOptions = {
  readonly shares?: ProfilingShares
  readonly clock: () => number
  readonly draw: () => number
  readonly onDrop: () => void
  readonly unexpected: (cause: unknown) => void
}

export type FinishedAnswer = {
  readonly pool: string
  /** Of the tenant. */
  readonly class: string
  readonly asked: CompletionRequest
  /** As the engine says. */
  readonly usage: Usage | undefined
  readonly content: { readonly body: Buffer } | { readonly sample: StreamSample | undefined }
}

type SampleJob = { readonly window: CountedWindow; readonly asked: CompletionRequest; readonly content: () => SampledContent }

export class Profiler {
  readonly windows: ProfileWindows
  readonly #shares: ProfilingShares
  readonly #draw: () => number
  readonly #unexpected: (cause: unknown) => void
  readonly #languages: LanguageThread
  #jobs: SampleJob[] = []

  constructor({ shares = PROFILING_SHARES, clock, draw, onDrop, unexpected }: ProfilerOptions) {
    this.#shares = shares
    this.#draw = draw
    this.#unexpected = unexpected
    this.windows = new ProfileWindows({ clock, onDrop })
    this.#languages = new LanguageThread(unexpected)
  }

  /** For a stream that begins; undefined for one that is not of the sample. */
  sampleStream(): StreamSample | undefined {
    const depth = this.#drawDepth()
    return depth && new StreamSample(depth)
  }

  /** An answer that its client got to the end. */
  count(answer: FinishedAnswer): void {
    contain(() => this.#count(answer), this.#unexpected)
  }

  /** Languages that are still looked for are not counted. */
  async close(): Promise<void> {
    await this.#languages.close()
  }

  #count({ pool, class: tenantClass, asked, usage, content }: FinishedAnswer): void {
    const window = this.windows.at(pool, tenantClass)
    if (!window) return
    const { counter } = window
    counter.rows += 1
    window.version += 1
    if (usage) {
      counter.countNumber('prompt-tokens', usage.prompt)
      if (asked.endpoint !== 'embeddings') counter.countNumber('answer-tokens', usage.completion)
    }
    if ('body' in content) {
      const depth = this.#drawDepth()
      if (depth) this.#later({ window, asked, content: () => wholeContent(content.body, depth) })
    } else if (content.sample) {
      const { sample } = content
      this.#later({ window, asked, content: () => sample.content() })
    }
  }

  #drawDepth(): SampleDepth | undefined {
    const drawn = this.#draw()
    if (drawn < this.#shares.thorough) return 'thorough'
    return drawn < this.#shares.plain ? 'plain' : undefined
  }

  #later(job: SampleJob): void {
    this.#jobs.push(job)
    if (this.#jobs.length === 1) setImmediate(() => this.#countSamples())
  }

  #countSamples(): void {
    const jobs = this.#jobs
    this.#jobs = []
    for (const job of jobs) contain(() => this.#countSample(job), this.#unexpected)
  }

  #countSample({ window, asked, content }: SampleJob): void {
    const words = countAnswer(window.counter, asked, content())
    window.version += 1
    if (words === undefined || words === '') return
    this.#languages.find(words, (word) => {
      window.counter.countWord('answer-language', word)
      window.version += 1
    })
  }
}
