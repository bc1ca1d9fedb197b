import { IronlawError, readBatch, readLink, readSequence, type ReadResult } from '@ironlaw/contracts'
import { parse } from '@ironlaw/units'

/** A flag that counts things: at least one, no fraction. */
export function wholeNumber(flag: string, text: string): number {
  const parsed = parse(text, '1')
  if (parsed.ok && Number.isInteger(parsed.value) && parsed.value >= 1) return parsed.value
  throw new IronlawError('IL_QUANTITY', { name: flag, reason: `"${text}" is not a whole number of at least 1, such as 8` })
}

/** Tokens of one sequence: 8k is 8,192. */
export const sequenceFlag = (flag: string, text: string): number => checkedSize(flag, readSequence(text))

/** Sequences per step, or the text of an amount of tokens. */
export const batchFlag = (flag: string, text: string): number | string => checkedSize(flag, readBatch(text))

/** The text of a token count; a bare number counts tokens. */
export function tokensFlag(flag: string, text: string): string {
  const tokens = /^[\d.,_]+(?:e\+?\d+)?$/i.test(text.trim()) ? `${text.trim()} tokens` : text
  const parsed = parse(tokens, 'token')
  if (parsed.ok) return tokens
  throw new IronlawError('IL_QUANTITY', { name: flag, reason: parsed.reason })
}

/** The text of a network between nodes. */
export function linkFlag(flag: string, text: string): string {
  checkedSize(flag, readLink(text))
  return text
}

function checkedSize<T>(flag: string, read: ReadResult<T>): T {
  if (read.ok) return read.value
  throw new IronlawError('IL_QUANTITY', { name: flag, reason: read.reason })
}
