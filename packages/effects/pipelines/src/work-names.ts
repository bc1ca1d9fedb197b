// What calibration knows work by. Two specs share the rate of a step only where it does the same: another program, tokenizer or set of rules is another
// speed, and so is another format or compression of the files that are read.

import { canonicalJson, sha256 } from '@ironlaw/contracts'
import type { DataStep } from '@ironlaw/contracts/data-spec'
import type { Unit } from './unit.ts'

/** Such as "keep 3f2a90c1": the kind of step and a digest of its settings. */
export function stepWork(step: DataStep): string {
  const [[kind, settings] = ['', {}]] = Object.entries(step)
  // Neither the length of samples nor the separator changes how fast text becomes tokens.
  const decisive = step.tokenize ? { tokenizer: step.tokenize.tokenizer } : settings
  return `${kind} ${sha256(canonicalJson(decisive)).slice(0, 8)}`
}

/** Such as "read jsonl.zstd". */
export const readWork = (units: readonly Unit[]): string => `read ${formatsOf(units)}`
/** Where documents are deduplicated: records that were dropped before are not parsed. */
export const rereadWork = (units: readonly Unit[]): string => `read again ${formatsOf(units)}`

const formatsOf = (units: readonly Unit[]): string =>
  [...new Set(units.map(({ format, compression }) => (compression === undefined ? format : `${format}.${compression}`)))]
    .toSorted()
    .join(' and ')
