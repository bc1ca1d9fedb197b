// Who goes next when all must wait: the highest priority, then the tenant that has had least of it by weight. Serving least first is
// max-min fair over any busy period; the counters are the virtual token counters of VTC (Sheng et al., OSDI 2024), whose rule that a
// tenant who comes back starts level with the least served of those waiting keeps idleness from being saved up.

type Line<T> = { readonly tenant: string; weight: number; served: number; waiting: T[]; head: number }

type Band<T> = { readonly priority: number; readonly lines: Map<string, Line<T>> }

export type QueueTicket = { readonly tenant: string; readonly weight: number; readonly priority: number }

/** Queues that have emptied keep their counter as long as there are fewer than this many of them. */
const KEPT_LINES = 4096
/** A queue's array is trimmed when this much of it has been served. */
const CUT_AT = 1024

export class FairQueue<T> {
  /** Highest priority first. */
  readonly #bands: Band<T>[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  push(item: T, place: QueueTicket): void {
    const { lines } = this.#band(place.priority)
    let line = lines.get(place.tenant)
    if (!line) {
      if (lines.size >= KEPT_LINES) forgetIdle(lines)
      line = { tenant: place.tenant, weight: place.weight, served: 0, waiting: [], head: 0 }
      lines.set(place.tenant, line)
    }
    line.weight = place.weight
    if (isIdle(line)) line.served = Math.max(line.served, leastServed(lines))
    line.waiting.push(item)
    this.#length += 1
  }

  /** The next item for which `may` holds; the rest of a tenant's line waits behind its first. */
  shift(may: (item: T) => boolean = () => true): T | undefined {
    for (const { lines } of this.#bands) {
      let best: Line<T> | undefined
      for (const line of lines.values()) {
        const first = line.waiting[line.head]
        if (first !== undefined && (!best || line.served < best.served) && may(first)) best = line
      }
      if (best) return this.#take(best)
    }
    return undefined
  }

  /** Charges a tenant for what an item of his costs, by his weight. Once when it starts, with the difference when it is known. */
  charge(place: QueueTicket, tokens: number): void {
    const line = this.#band(place.priority).lines.get(place.tenant)
    if (line) line.served += tokens / line.weight
  }

  remove(item: T, place: QueueTicket): boolean {
    const line = this.#band(place.priority).lines.get(place.tenant)
    const index = line?.waiting.indexOf(item, line.head) ?? -1
    if (!line || index === -1) return false
    line.waiting.splice(index, 1)
    this.#length -= 1
    return true
  }

  #take(line: Line<T>): T | undefined {
    const item = line.waiting[line.head]
    line.head += 1
    if (line.head === line.waiting.length || line.head >= CUT_AT) {
      line.waiting = line.waiting.slice(line.head)
      line.head = 0
    }
    this.#length -= 1
    return item
  }

  #band(priority: number): Band<T> {
    let band = this.#bands.find((one) => one.priority === priority)
    if (!band) {
      band = { priority, lines: new Map() }
      this.#bands.push(band)
      this.#bands.sort((a, b) => b.priority - a.priority)
    }
    return band
  }
}

const isIdle = <T>(line: Line<T>): boolean => line.head === line.waiting.length

function leastServed<T>(lines: ReadonlyMap<string, Line<T>>): number {
  let least = Number.POSITIVE_INFINITY
  for (const line of lines.values()) if (!isIdle(line)) least = Math.min(least, line.served)
  return least === Number.POSITIVE_INFINITY ? 0 : least
}

function forgetIdle<T>(lines: Map<string, Line<T>>): void {
  for (const [tenant, line] of lines) if (isIdle(line)) lines.delete(tenant)
}
