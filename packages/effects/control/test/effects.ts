// Every effect of simulated processes (a statement or transaction, a question to the executor) waits here until it is let through,
// one at a time. Whoever lets it through says what becomes of it: so a history is a sequence of choices, and a seed replays it.

import { setImmediate as settled } from 'node:timers/promises'

export type Verdict = 'go' | 'crash-before' | 'crash-after' | 'fail-before' | 'fail-after' | 'twice'

/** Killed, it has no further effect. */
export type Process = { readonly name: string; dead: boolean }

type Waiting = { readonly process: Process; readonly what: string; readonly enter: (verdict: Verdict) => void; readonly die: () => void }

export class Killed extends Error {}

/** An effect on its way. */
export class Passage {
  readonly verdict: Verdict
  readonly leave: () => void
  readonly #process: Process

  constructor(process: Process, verdict: Verdict, leave: () => void) {
    this.#process = process
    this.verdict = verdict
    this.leave = leave
  }

  /** Whether the answer goes astray on that side of the effect; a process that dies there throws. */
  isLost(side: 'before' | 'after'): boolean {
    if (this.verdict === `crash-${side}`) this.#process.dead = true
    if (this.#process.dead) throw new Killed(`${this.#process.name} is killed`)
    return this.verdict === `fail-${side}`
  }
}

export class Effects {
  waiting: readonly Waiting[] = []
  #left: () => void = () => undefined

  enter(process: Process, what: string): Promise<Passage> {
    const { promise, resolve, reject } = Promise.withResolvers<Passage>()
    const die = (): void => reject(new Killed(`${process.name} is killed`))
    if (process.dead) die()
    else {
      const enter = (verdict: Verdict): void => resolve(new Passage(process, verdict, () => this.#left()))
      this.waiting = [...this.waiting, { process, what, enter, die }]
    }
    return promise
  }

  /** Lets one through and waits until everything that follows from it has come to rest at the next effect. */
  async release(one: Waiting, verdict: Verdict): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#left = resolve
    this.waiting = this.waiting.filter((other) => other !== one)
    one.enter(verdict)
    await promise
    if (one.process.dead) this.#bury()
    // What is left are continuations, which all run before this.
    await settled()
  }

  async kill(process: Process): Promise<void> {
    process.dead = true
    this.#bury()
    await settled()
  }

  #bury(): void {
    const dead = this.waiting.filter(({ process }) => process.dead)
    this.waiting = this.waiting.filter(({ process }) => !process.dead)
    for (const { die } of dead) die()
  }
}
