// The split of third-party rows, fixed by their names: a third of the series calibrates, the rest is held out. A series is one
// configuration at one pair of lengths over all its concurrencies, so that no neighbour of a held-out point was fitted.

import type { Split } from './row.ts'

const OFFSET = 0x81_1c_9d_c5
const PRIME = 0x01_00_01_93

/** FNV-1a, 32 bits. */
function fnvHash(text: string): number {
  let hash = OFFSET
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), PRIME) >>> 0
  return hash
}

export const splitOf = (series: string): Split => (fnvHash(series) % 3 === 0 ? 'calibration' : 'heldout')
