/** Remembered: a search asks for the divisors of the same few numbers again and again. */
const KNOWN = new Map<number, readonly number[]>()

/** Beyond this nothing is divided: no batch, fleet or model has so many parts. */
const LARGEST = 4096

export function divisors(whole: number): readonly number[] {
  const known = KNOWN.get(whole)
  if (known) return known
  const made = Array.from({ length: Math.min(whole, LARGEST) }, (_, index) => index + 1).filter((size) => whole % size === 0)
  KNOWN.set(whole, made)
  return made
}
