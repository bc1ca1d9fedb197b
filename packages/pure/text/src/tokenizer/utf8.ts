// UTF-8 and the alphabet of byte-level tokenizers, which write each byte as one printable character (GPT-2's encoder.py).

/** The bytes of a well-formed text. */
export function utf8Bytes(text: string): number[] {
  const bytes: number[] = []
  for (let i = 0; i < text.length; i += 1) {
    const point = text.codePointAt(i) as number
    if (point < 0x80) bytes.push(point)
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), 0x80 | (point & 63))
    else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63))
    else {
      bytes.push(0xf0 | (point >> 18), 0x80 | ((point >> 12) & 63), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63))
      i += 1
    }
  }
  return bytes
}

const isPrintable = (byte: number): boolean =>
  (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff)

/** By byte: its character. Bytes that do not print are written from U+0100 on, in order. */
export const BYTE_CHARACTERS: readonly string[] = (() => {
  let next = 0x100
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isPrintable(byte) ? byte : next++))
})()

const BYTE_OF_CHARACTER = new Map(BYTE_CHARACTERS.map((character, byte) => [character, byte]))

/** The bytes that a token of a byte-level vocabulary stands for; undefined if a character is not of the alphabet. */
export function bytesOfToken(token: string): number[] | undefined {
  const bytes: number[] = []
  for (const character of token) {
    const byte = BYTE_OF_CHARACTER.get(character)
    if (byte === undefined) return undefined
    bytes.push(byte)
  }
  return bytes
}
