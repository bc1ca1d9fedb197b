// Sizes of a training step as people write them. "8k" of a sequence is 8,192 tokens, because lengths are powers of two; tokens of data and
// of a batch stay decimal, as everybody counts them.

import { parse } from '@ironlaw/units'

export type ReadResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string }

const LENGTH = /^(\d[\d_]*(?:,\d{3})*(?:\.\d+)?|\.\d+)\s*([kKM])?i?\s*(?:tokens?)?$/
const SCALE = { k: 1024, K: 1024, M: 1024 ** 2 } as const

/** Tokens of one sequence: "8192", "8k", "128K", "1M". */
export function readSequence(text: string): ReadResult<number> {
  const [, digits, scale] = LENGTH.exec(text.trim()) ?? []
  const tokens = Number(digits?.replaceAll(/[_,]/g, '')) * (scale === undefined ? 1 : SCALE[scale as keyof typeof SCALE])
  return Number.isSafeInteger(tokens) && tokens > 0
    ? { ok: true, value: tokens }
    : { ok: false, reason: `"${text}" is not a number of tokens; write a whole number such as 8192, or 8k (8,192) or 128k (131,072)` }
}

const PLAIN = /^\+?\d[\d_]*(?:,\d{3})*(?:e\d+)?$/
const WITHOUT_NOUN = /^[\d.,_]+\s*[kKMBGTQ]$/

/** Batch of one optimizer step: a number of sequences, or the text of an amount of tokens. */
export function readBatch(text: string): ReadResult<number | string> {
  const trimmed = text.trim()
  if (PLAIN.test(trimmed)) {
    const sequences = Number(trimmed.replaceAll(/[_,]/g, ''))
    return Number.isSafeInteger(sequences) && sequences > 0
      ? { ok: true, value: sequences }
      : { ok: false, reason: `"${text}" is not a whole number of sequences of at least 1` }
  }
  return readBatchTokens(trimmed)
}

/** Tokens per step, as text. A scale without a noun could mean sequences or tokens. */
export function readBatchTokens(text: string): ReadResult<string> {
  if (WITHOUT_NOUN.test(text.trim()))
    return refusal(`"${text}" of sequences or of tokens? Did you mean "${text} tokens"? A number of sequences is written out, such as 1024`)
  const parsed = parse(text, 'token')
  if (!parsed.ok)
    return refusal(`${parsed.reason.split(';')[0]}; write a whole number of sequences such as 1024, or tokens such as "4M tokens"`)
  return parsed.value > 0 ? { ok: true, value: text } : refusal(`"${text}" must be more than zero`)
}

const refusal = (reason: string): { readonly ok: false; readonly reason: string } => ({ ok: false, reason })
