// SHA-256 (FIPS 180-4), because an identifier must come out the same, and at once, in Node and in the browser: the platform's
// own digest is asynchronous in one and absent from the other. Made for identifiers of a few kilobytes, not for files.

const WORD = 2 ** 32
const BLOCK = 64

/** The first 64 primes, from which the standard draws its constants. */
const PRIMES = Array.from({ length: 310 }, (_, index) => index + 2).filter(isPrime)

const ROUND = new Uint32Array(PRIMES.map((prime) => fraction(Math.cbrt(prime))))
const INITIAL = new Uint32Array(PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime))))

/** Lower-case hexadecimal digest of a text in UTF-8. */
export function sha256(text: string): string {
  const message = paddedMessage(new TextEncoder().encode(text))
  const state = Uint32Array.from(INITIAL)
  const schedule = new Uint32Array(64)
  for (let offset = 0; offset < message.byteLength; offset += BLOCK) {
    fillSchedule(schedule, new DataView(message.buffer, offset, BLOCK))
    compress(state, schedule)
  }
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('')
}

function paddedMessage(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK) * BLOCK)
  message.set(bytes)
  message[bytes.length] = 0x80
  new DataView(message.buffer).setBigUint64(message.length - 8, BigInt(bytes.length) * 8n)
  return message
}

function fillSchedule(schedule: Uint32Array, block: DataView): void {
  for (let t = 0; t < 16; t += 1) schedule[t] = block.getUint32(4 * t)
  for (let t = 16; t < 64; t += 1) {
    const a = wordAt(schedule, t - 15)
    const b = wordAt(schedule, t - 2)
    const low = rotatedRight(a, 7) ^ rotatedRight(a, 18) ^ (a >>> 3)
    const high = rotatedRight(b, 17) ^ rotatedRight(b, 19) ^ (b >>> 10)
    schedule[t] = wordAt(schedule, t - 16) + low + wordAt(schedule, t - 7) + high
  }
}

function compress(state: Uint32Array, schedule: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let t = 0; t < 64; t += 1) {
    const choice = (e & f) ^ (~e & g)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const first =
      (h + (rotatedRight(e, 6) ^ rotatedRight(e, 11) ^ rotatedRight(e, 25)) + choice + wordAt(ROUND, t) + wordAt(schedule, t)) | 0
    const second = (rotatedRight(a, 2) ^ rotatedRight(a, 13) ^ rotatedRight(a, 22)) + majority
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0]
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = wordAt(state, index) + word
}

const wordAt = (words: Uint32Array, index: number): number => words[index] ?? 0

const rotatedRight = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

function isPrime(n: number): boolean {
  for (let divisor = 2; divisor * divisor <= n; divisor += 1) if (n % divisor === 0) return false
  return true
}

/** The first 32 bits behind the binary point; a double holds them together with the few bits before it. */
function fraction(root: number): number {
  return Math.floor((root % 1) * WORD)
}
