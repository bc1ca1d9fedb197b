import { IronlawError } from '@ironlaw/contracts'
import { parse } from '@ironlaw/units'

/** A flag that counts things: at least one, no fraction. */
export function wholeNumber(flag: string, text: string): number {
  const parsed = parse(text, '1')
  if (!parsed.ok) throw new IronlawError('IL_QUANTITY', { name: flag, reason: parsed.reason })
  if (!Number.isInteger(parsed.value) || parsed.value < 1)
    throw new IronlawError('IL_QUANTITY', { name: flag, reason: `"${text}" is not a whole number of at least 1` })
  return parsed.value
}
