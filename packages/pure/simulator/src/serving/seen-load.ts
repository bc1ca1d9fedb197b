// What routers see of a replica, brought up to the moment in which they look.

import type { ReplicaLoad, ReplicaSpeed } from '@ironlaw/policies/serving'

export type Clock = { readonly now: number }

export abstract class SeenLoad implements ReplicaLoad {
  ready = false
  readonly speed: ReplicaSpeed
  /** As of the last step. */
  protected requests = 0
  protected toRead = 0
  protected toMake = 0
  protected context = 0
  private readonly clock: Clock

  constructor(speed: ReplicaSpeed, clock: Clock) {
    this.speed = speed
    this.clock = clock
  }

  abstract catchUp(until: number): void

  get running(): number {
    this.catchUp(this.clock.now)
    return this.requests
  }

  get prefillTokens(): number {
    this.catchUp(this.clock.now)
    return this.toRead
  }

  get decodeTokens(): number {
    this.catchUp(this.clock.now)
    return this.toMake
  }

  get kvTokens(): number {
    this.catchUp(this.clock.now)
    return this.context
  }

  protected seeNothing(): void {
    this.requests = 0
    this.toRead = 0
    this.toMake = 0
    this.context = 0
  }
}
