// Every field in which two documents differ.

import { fieldChanges } from '@ironlaw/contracts'
import type { DifferenceRow } from './difference-row.ts'
import { fieldWords, figureText } from './field-words.ts'

export const fieldRows = (left: object, right: object): readonly DifferenceRow[] =>
  fieldChanges(left, right).map(({ path, now, next }) => {
    const showValue = (value: typeof now): string =>
      value === undefined ? '–' : typeof value === 'number' ? figureText(path, value) : String(value)
    return {
      name: fieldWords(path),
      path,
      left: showValue(now),
      right: showValue(next),
      ...(typeof now === 'number' && typeof next === 'number' && now !== 0 && { ratio: next / now }),
    }
  })
