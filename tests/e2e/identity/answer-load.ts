// Clients of both teams that ask one question after another while what they depend on is replaced, and what became of each question.

import { setTimeout as pause } from 'node:timers/promises'
import { type Question, type Reply, Site } from './site.ts'

export type LoadClient = {
  readonly name: string
  /** Asked for each question, so that a client can move to another key. */
  readonly question: () => Question
  /** Why the answer is not what it has to be, or undefined. */
  readonly problem: (reply: Reply) => string | undefined
  readonly site: { readonly url: string; readonly ca: string }
  /** A connection for each question; otherwise one for all. */
  readonly connectsAnew: boolean
  /** From one question to the next, where the server limits their rate. */
  readonly pause_ms?: number
}

export type LoadFigures = { readonly answered: number; readonly lost: readonly string[]; readonly connections: number }

export class AnswerLoad {
  readonly #workers: readonly Worker[]

  constructor(clients: readonly LoadClient[]) {
    this.#workers = clients.map((client) => new Worker(client))
  }

  /** Whether a new connection to this server was given the certificate. */
  wasShown(url: string, serial: string): boolean {
    return this.#workers.some(({ client, serials }) => client.site.url === url && client.connectsAnew && serials.has(serial))
  }

  /** Until every client has the answer to a question that it asked after this. */
  async settle(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.settle()))
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()))
  }

  /** Of the clients whose name begins so. */
  figures(prefix = ''): LoadFigures {
    const chosen = this.#workers.filter(({ client }) => client.name.startsWith(prefix))
    return {
      answered: chosen.reduce((sum, { answered }) => sum + answered, 0),
      lost: chosen.flatMap(({ lost }) => lost),
      connections: chosen.reduce((sum, { client, answered, lost }) => sum + (client.connectsAnew ? answered + lost.length : 1), 0),
    }
  }
}

class Worker {
  readonly client: LoadClient
  readonly serials = new Set<string>()
  readonly lost: string[] = []
  answered = 0
  #asked = 0
  readonly #site: Site
  readonly #waiting: { readonly from: number; readonly done: () => void }[] = []
  #isStopped = false
  readonly #ended: Promise<void>

  constructor(client: LoadClient) {
    this.client = client
    this.#site = new Site(client.site.url, client.site.ca, { connectsAnew: client.connectsAnew })
    this.#ended = this.#work()
  }

  settle(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push({ from: this.#asked + 1, done: resolve })
    return promise
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#ended
    this.#site.close()
  }

  async #work(): Promise<void> {
    while (!this.#isStopped) {
      const number = (this.#asked += 1)
      await this.#ask()
      for (const [index, { from, done }] of [...this.#waiting.entries()].toReversed())
        if (number >= from) {
          this.#waiting.splice(index, 1)
          done()
        }
      if (this.client.pause_ms !== undefined) await pause(this.client.pause_ms)
    }
  }

  async #ask(): Promise<void> {
    try {
      const reply = await this.#site.ask(this.client.question())
      this.serials.add(reply.serial)
      const problem = this.client.problem(reply)
      if (problem === undefined) this.answered += 1
      else this.lost.push(`${this.client.name}: ${problem}`)
    } catch (cause) {
      this.lost.push(`${this.client.name}: ${String(cause)}`)
    }
  }
}
