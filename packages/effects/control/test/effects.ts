// Every effect of simulated processes (a statement or transaction, a question to the executor) waits here until it is let through,
// one at a time. The test that lets it through decides its outcome: so a history is a sequence of choices, and a seed replays it.

import { setImmediate as settled } from 'node:timers/promises'

/**
 * `drop`: packets are lost without a word, so the caller learns nothing until its time limit. `late`: the caller is cut off at once, and the
 * request is carried out later all the same; a transaction is then not carried out at all.
 */
export type Verdict = 'go' | 'crash-before' | 'crash-after' | 'fail-before' | 'fail-after' | 'twice' | 'drop-before' | 'drop-after' | 'late'

/** Killed, it has no further effect. */
export type Process = { readonly name: string; dead: boolean }

type Waiting = { readonly process: Process; readonly what: string; readonly enter: (verdict: Verdict) => void; readonly die: () => void }

class Killed extends Error {}

/** What takes time outside the effects themselves. */
export type Delays = {
  /** How long a caller waits for an answer before it gives up. */
  readonly overdue: () => Promise<void>
  readonly later: (act: () => Promise<unknown>) => void
}

const NO_DELAYS: Delays = { overdue: () => Promise.resolve(), later: (act) => void act() }

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
    return this.verdict === `fail-${side}` || this.verdict === `drop-${side}` || (this.verdict === 'late' && side === 'before')
  }

  get isDropped(): boolean {
    return this.verdict === 'drop-before' || this.verdict === 'drop-after'
  }
}

export class Effects {
  waiting: readonly Waiting[] = []
  readonly delays: Delays
  #left: () => void = () => undefined

  constructor(delays: Delays = NO_DELAYS) {
    this.delays = delays
  }

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

  /** A call to another process as one effect: its request or its answer may be lost, late or doubled. */
  async call<T>({ process, what }: Pick<Waiting, 'process' | 'what'>, act: () => Promise<T>, unanswered: () => T): Promise<T> {
    const passage = await this.enter(process, what)
    let answer: T | undefined
    let isAnswered = false
    try {
      if (passage.verdict === 'late') this.delays.later(act)
      if (!passage.isLost('before')) {
        if (passage.verdict === 'twice') await act()
        answer = await act()
        isAnswered = !passage.isLost('after')
      }
    } finally {
      passage.leave()
    }
    if (passage.isDropped) await this.delays.overdue()
    if (process.dead) throw new Killed(`${process.name} is killed`)
    return isAnswered ? (answer as T) : unanswered()
  }

  /** Lets one through and waits until everything that follows from it has come to rest at the next effect. */
  async release(one: Waiting, verdict: Verdict): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#left = resolve
    this.waiting = this.waiting.filter((other) => other !== one)
    one.enter(verdict)
    await promise
    if (one.process.dead) this.#discard()
    // What is left are continuations, which all run before this.
    await settled()
  }

  async kill(process: Process): Promise<void> {
    process.dead = true
    this.#discard()
    await settled()
  }

  #discard(): void {
    const dead = this.waiting.filter(({ process }) => process.dead)
    this.waiting = this.waiting.filter(({ process }) => !process.dead)
    for (const { die } of dead) die()
  }
}
