// By key the place that came with it first: a hash table with open addresses that grows, as how many different keys there are is not known before.

const FREE = -3
/** The key was not there before. */
export const NEW = -2
/** It was there twice or more. */
export const KNOWN = -1

/** Full to this share it doubles. */
const MOST_FULL = 0.6
const LEAST_SLOTS = 2 ** 12

type Slots = { readonly highs: Uint32Array; readonly lows: Uint32Array; readonly places: Float64Array }

const freeSlots = (size: number): Slots => ({
  highs: new Uint32Array(size),
  lows: new Uint32Array(size),
  places: new Float64Array(size).fill(FREE),
})

function slotOf({ highs, lows, places }: Slots, high: number, low: number): number {
  const mask = places.length - 1
  let slot = (Math.imul(low, 0x9e3779b1) ^ high) & mask
  while (places[slot] !== FREE && (highs[slot] !== high || lows[slot] !== low)) slot = (slot + 1) & mask
  return slot
}

function put({ highs, lows, places }: Slots, slot: number, [high, low, place]: readonly [number, number, number]): void {
  highs[slot] = high
  lows[slot] = low
  places[slot] = place
}

/** Answers NEW for a key that comes first, its first place when it comes again, and KNOWN from then on. */
export function firstPlaces(): (high: number, low: number, place: number) => number {
  let slots = freeSlots(LEAST_SLOTS)
  let used = 0
  const grow = (): void => {
    const larger = freeSlots(2 * slots.places.length)
    for (const [slot, place] of slots.places.entries()) {
      if (place === FREE) continue
      const [high, low] = [slots.highs[slot] as number, slots.lows[slot] as number]
      put(larger, slotOf(larger, high, low), [high, low, place])
    }
    slots = larger
  }
  return (high, low, place) => {
    let slot = slotOf(slots, high, low)
    const first = slots.places[slot] as number
    if (first !== FREE) {
      slots.places[slot] = KNOWN
      return first
    }
    if (used >= MOST_FULL * slots.places.length) {
      grow()
      slot = slotOf(slots, high, low)
    }
    put(slots, slot, [high, low, place])
    used += 1
    return NEW
  }
}
