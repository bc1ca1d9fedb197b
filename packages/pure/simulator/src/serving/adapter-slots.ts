// Low-rank adapters on one replica: a limited number is loaded at once. A loaded one costs nothing to use again; another one
// replaces the least recently used of those that no request uses, if there is one.

const NONE = -1

export class AdapterSlots {
  private readonly adapters: Int32Array
  private readonly users: Int32Array
  private readonly lastUse: Float64Array
  private uses = 0

  constructor(count: number) {
    this.adapters = new Int32Array(count)
    this.users = new Int32Array(count)
    this.lastUse = new Float64Array(count)
  }

  fits(adapter: number): boolean {
    return adapter === 0 || this.placeFor(adapter) !== NONE
  }

  /** Whether it had to be loaded. */
  use(adapter: number): boolean {
    if (adapter === 0) return false
    const place = this.placeFor(adapter)
    const load = this.adapters[place] !== adapter
    this.adapters[place] = adapter
    this.users[place]! += 1
    this.uses += 1
    this.lastUse[place] = this.uses
    return load
  }

  release(adapter: number): void {
    if (adapter !== 0) this.users[this.adapters.indexOf(adapter)]! -= 1
  }

  private placeFor(adapter: number): number {
    const own = this.adapters.indexOf(adapter)
    if (own !== -1) return own
    let best = NONE
    for (let place = 0; place < this.users.length; place += 1)
      if (this.users[place] === 0 && (best === NONE || this.lastUse[place]! < this.lastUse[best]!)) best = place
    return best
  }
}
