// A quantity as a person wrote it, in a base unit.

import { type BaseUnit, parse, type Quantity } from '@ironlaw/units'
import { IronlawError } from './error.ts'

export function quantityOf<U extends BaseUnit>(text: string, unit: U): Quantity<U> {
  const parsed = parse(text, unit)
  if (!parsed.ok) throw new IronlawError('IL_QUANTITY', { name: text, reason: parsed.reason })
  return parsed.value
}
