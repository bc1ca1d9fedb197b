// A document on its way through the steps.

import type { Fields, RawRecord } from './unit.ts'

export type Document = {
  /** Number of its record in the unit. */
  readonly record: number
  readonly fields: Fields
  readonly raw: RawRecord
  text: string
  /** Whether a step has changed the text, so that the record can no longer be copied as it is. */
  isChanged: boolean
}
