// Every field in which two documents differ, and how many agree.

import { fieldChanges } from '@ironlaw/contracts'
import type { DifferenceRow } from './difference-table.tsx'

const showValue = (value: string | number | boolean | null | undefined): string =>
  value === undefined
    ? '–'
    : typeof value === 'number'
      ? Number(value.toPrecision(6)).toLocaleString('en', { maximumSignificantDigits: 6 })
      : String(value)

export const fieldRows = (left: object, right: object): readonly DifferenceRow[] =>
  fieldChanges(left, right).map(({ path, now, next }) => ({
    name: path,
    left: showValue(now),
    right: showValue(next),
    ...(typeof now === 'number' && typeof next === 'number' && now !== 0 && { ratio: next / now }),
  }))
