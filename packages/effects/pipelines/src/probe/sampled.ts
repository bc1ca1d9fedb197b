// A content of a probe's sample, on its way through the steps.

import type { Document } from '../document.ts'
import type { Unit } from '../unit.ts'

/** A content of the sample. Equal ones of one source are one, so that a step runs once for them. */
export type Sampled = {
  readonly document: Document
  readonly unit: Unit
  readonly anchor: number
  /** How many documents have this content; after deduplication one. */
  copies: number
  /**
   * How many documents of the sample each copy stands for. A near-duplicate of similarity s was in the sample with its twin only s times as often as a
   * copy, so its removal counts 1 / s: the one that is kept gives up the rest.
   */
  weight: number
  tokens: number
}
