// Strict UTF-8: bytes that are none are refused, not replaced.

import { isAscii, isUtf8 } from 'node:buffer'

/** Undefined where it is not UTF-8. Of ASCII the Latin-1 decoder makes the same string in half the time. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString('latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

/** The shortest beginning that no further bytes can make valid ends with it. */
export function firstInvalidByte(bytes: Buffer): number {
  let [valid, invalid] = [0, bytes.length + 1]
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >>> 1
    if (isValidBeginning(bytes.subarray(0, middle))) valid = middle
    else invalid = middle
  }
  return valid
}

function isValidBeginning(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    // It throws for the one reason that is asked about.
    return false
  }
}
