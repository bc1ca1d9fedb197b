// A number that near-duplicates are likely to share: a MinHash of size one. Of all windows of 32 characters the one with the smallest hash stands for the text. Two
// texts of which a share s of all windows is common have the same anchor with probability s, and equal texts always.

const WINDOW = 32
const CHARACTERS = 256

/** Fixed numbers, one for each lower byte of a character. */
const GEAR = Uint32Array.from({ length: CHARACTERS }, (_, character) => {
  let mixed = Math.imul(character + 1, 0x9e3779b1)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
})

/** Of 53 bits, evenly spread: a text is in a sample of share f where its anchor is below f times 2^53. */
export function anchorOf(text: string): number {
  let rolling = 0
  let smallest = 0xffffffff
  let end = Math.min(text.length, WINDOW)
  // A character leaves the hash after 32 shifts.
  for (let i = 0; i < text.length; i += 1) {
    rolling = ((rolling << 1) + (GEAR[text.charCodeAt(i) & 0xff] as number)) | 0
    const value = rolling >>> 0
    if (value < smallest && i >= WINDOW - 1) {
      smallest = value
      end = i + 1
    }
  }
  return windowNumber(text, Math.max(0, end - WINDOW), end)
}

/** The smallest hash is small: the number must come from the window itself. */
function windowNumber(text: string, start: number, end: number): number {
  let low = 0x811c9dc5
  let high = 0x050c5d1f
  for (let i = start; i < end; i += 1) {
    const character = text.charCodeAt(i)
    low = Math.imul(low ^ character, 0x01000193)
    high = Math.imul(high + character, 0x9e3779b1) ^ (high >>> 15)
  }
  return (mixed(high) >>> 11) * 2 ** 32 + mixed(low ^ high)
}

function mixed(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
