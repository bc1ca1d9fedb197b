// Where a list of numbers lies on four fixed directions. Each direction is of plus and minus one, so for lists that point anywhere its value is about
// normal with deviation one, whatever their dimension and length; a list that moves as a whole moves on most of them.

const DIRECTIONS = 4

/** Shorter ones are coordinates or colours, and not read as a direction. */
const LEAST_DIMENSION = 8
const MOST_DIMENSION = 65_536

/** Bit k is the sign of direction k + 1; it grows with the longest list so far. */
let signs = new Uint8Array(0)

/** Undefined for what is no list of finite numbers, or has no direction. */
export function projections(list: ArrayLike<unknown>): readonly number[] | undefined {
  const { length } = list
  const largest = length < LEAST_DIMENSION || length > MOST_DIMENSION ? 0 : largestOf(list)
  if (largest === 0) return undefined
  if (signs.length < length) signs = Uint8Array.from({ length }, (_, index) => signsAt(index))
  const sums = Array.from({ length: DIRECTIONS }, () => 0)
  let squares = 0
  for (let index = 0; index < length; index += 1) {
    // Squares of what is near the largest number would be infinite.
    const scaled = (list[index] as number) / largest
    squares += scaled * scaled
    const bits = signs[index] as number
    for (let k = 0; k < sums.length; k += 1) sums[k] = (sums[k] as number) + ((bits >> k) & 1 ? scaled : -scaled)
  }
  return sums.map((sum) => sum / Math.sqrt(squares))
}

/** Zero where one of them is no finite number. */
function largestOf(list: ArrayLike<unknown>): number {
  let largest = 0
  for (let index = 0; index < list.length; index += 1) {
    const number = list[index]
    if (typeof number !== 'number' || !Number.isFinite(number)) return 0
    largest = Math.max(largest, Math.abs(number))
  }
  return largest
}

/** The finalizer of MurmurHash3, the same on every machine. */
function signsAt(index: number): number {
  let bits = Math.imul(index + 1, 0x9e_37_79_b1)
  bits = Math.imul(bits ^ (bits >>> 16), 0x85_eb_ca_6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2_b2_ae_35)
  return ((bits ^ (bits >>> 16)) >>> 8) & 15
}
