/** Remembered: a search asks for the divisors of the same few numbers again and again. */
const KNOWN = new Map<number, readonly number[]>()

/** Larger numbers are not factored: no batch, fleet or model has more parts. */
const LARGEST = 4096

export function divisors(whole: number): readonly number[] {
  const known = KNOWN.get(whole)
  if (known) return known
  const made = Array.from({ length: Math.min(whole, LARGEST) }, (_, index) => index + 1).filter((size) => whole % size === 0)
  KNOWN.set(whole, made)
  return made
}
