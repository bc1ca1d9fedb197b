// The clock of a control plane, which may be wrong, and the guard of the production loop (clock-guard.ts reads the clock of the machine):
// looked at now and then, and when it jumped, a clock that is far off stops the rounds until it is right.

import type { Timeline } from './timeline.ts'

const CLOCK_OFF_S = 60
const CHECK_EVERY_S = 10
const JUMP_S = 1

export class Clock {
  readonly #timeline: Timeline
  #offset_s = 0
  #checkedAt = -Infinity
  #offsetBefore_s = 0
  #isTrusted = true

  constructor(timeline: Timeline) {
    this.#timeline = timeline
  }

  get now(): number {
    return this.#timeline.now + this.#offset_s
  }

  jump(by_s: number): void {
    this.#offset_s += by_s
  }

  reset(): void {
    this.#offset_s = 0
  }

  isTrusted(): boolean {
    const { now } = this.#timeline
    const hasJumped = Math.abs(this.#offset_s - this.#offsetBefore_s) > JUMP_S
    this.#offsetBefore_s = this.#offset_s
    if (hasJumped || now - this.#checkedAt > CHECK_EVERY_S) {
      this.#checkedAt = now
      this.#isTrusted = Math.abs(this.#offset_s) <= CLOCK_OFF_S
    }
    return this.#isTrusted
  }
}
