// The code units of a text as an array of numbers. Loops over it run faster than over the string, whose every access asks first how it is stored.

const encoder = new TextEncoder()

// One buffer for all texts, as an allocation for each costs more than a short text.
let bytes = new Uint8Array(1 << 14)
let units = new Uint16Array(1 << 14)

/** The first of them are those of the text; there is room for one more. Valid until the next call. */
export function codeUnits(text: string): Uint16Array {
  const { length } = text
  if (units.length <= length) [bytes, units] = [new Uint8Array(2 * length), new Uint16Array(2 * length)]
  const { read, written } = encoder.encodeInto(text, bytes)
  // Of ASCII each byte is a code unit.
  if (read === length && written === length) units.set(bytes.subarray(0, length))
  else for (let i = 0; i < length; i += 1) units[i] = text.charCodeAt(i)
  return units
}
