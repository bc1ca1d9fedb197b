// The storage that nodes and control planes share: it may be away for everybody, or full.

import type { RunStorage } from '../../packages/effects/control/src/reconcile/run-storage.ts'
import type { Timeline } from './timeline.ts'

const AWAY = { away: 'the storage does not answer' } as const
const FULL = { away: 'no space is left' } as const

export class Storage {
  readonly #timeline: Timeline
  #awayUntil = 0
  #fullUntil = 0

  constructor(timeline: Timeline) {
    this.#timeline = timeline
  }

  strike(kind: 'storage-away' | 'storage-full', for_s: number): void {
    const until = this.#timeline.now + for_s
    if (kind === 'storage-away') this.#awayUntil = until
    else this.#fullUntil = until
  }

  reset(): void {
    this.#awayUntil = 0
    this.#fullUntil = 0
  }

  get isAway(): boolean {
    return this.#timeline.now < this.#awayUntil
  }

  get isWritable(): boolean {
    return !this.isAway && this.#timeline.now >= this.#fullUntil
  }

  /** What control planes see of it. */
  guardStorage({ completion, spooled }: RunStorage): Required<RunStorage> {
    return {
      completion: async (run) => (this.isAway ? AWAY : completion(run)),
      spooled: async (run, attempt) => (this.isAway ? AWAY : spooled(run, attempt)),
      probe: async () => (this.isAway ? AWAY : this.isWritable ? undefined : FULL),
    }
  }
}
