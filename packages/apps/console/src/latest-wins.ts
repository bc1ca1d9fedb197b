// Sends a worker one question at a time, and of the waiting ones only the latest: intermediate values of a drag are never computed.
// A worker cannot be interrupted, so one that exceeds the patience limit is terminated and restarted.

import { reportLoadFailure } from './load-failure.ts'

export type Port = {
  readonly post: (message: unknown) => void
  readonly end: () => void
}

/** Starts a worker that passes its answers to the given function. */
export type StartWorker<Answer> = (tell: (answer: Answer) => void) => Port

/** Of a worker of our own, which reports its errors as answers: whatever else fails is that its script is not there. */
export function portOf(worker: Worker): Port {
  worker.addEventListener('error', reportLoadFailure)
  return { post: (message) => worker.postMessage(message, []), end: () => worker.terminate() }
}

type Clock = { readonly now: () => number }

/** After this time, a new question is worth more than the warmed-up code of the old worker. */
const PATIENCE_MS = 1500

export class LatestWins<Question, Answer extends { readonly id: number }> {
  #port: Port
  #start: StartWorker<Answer>
  #clock: Clock
  #tell: (answer: Answer, question: Question) => void
  #next = 1
  #running: { readonly id: number; readonly question: Question; readonly since: number } | undefined
  #waiting: Question | undefined

  constructor(start: StartWorker<Answer>, tell: (answer: Answer, question: Question) => void, clock: Clock = performance) {
    this.#start = start
    this.#tell = tell
    this.#clock = clock
    this.#port = start((answer) => this.#onAnswer(answer))
  }

  ask(question: Question): void {
    this.#waiting = question
    if (this.#running && this.#clock.now() - this.#running.since > PATIENCE_MS) {
      this.#port.end()
      this.#running = undefined
      this.#port = this.#start((answer) => this.#onAnswer(answer))
    }
    this.#send()
  }

  end(): void {
    this.#port.end()
  }

  #send(): void {
    if (this.#running || this.#waiting === undefined) return
    this.#running = { id: this.#next, question: this.#waiting, since: this.#clock.now() }
    this.#waiting = undefined
    this.#next += 1
    this.#port.post({ id: this.#running.id, ask: this.#running.question })
  }

  #onAnswer(answer: Answer): void {
    if (answer.id !== this.#running?.id) return
    const { question } = this.#running
    this.#running = undefined
    this.#send()
    this.#tell(answer, question)
  }
}
