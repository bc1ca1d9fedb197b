// One input made from another, by the grammar of the target.

import { type Grammar, MOST_BYTES } from '../target.ts'
import { changedBytes } from './bytes.ts'
import { changedJson, type Material } from './json.ts'
import type { Random } from './random.ts'

export type Parents = { readonly words: readonly string[]; readonly other: () => Uint8Array; readonly grammar: Grammar }

/** Documents as well as bytes: broken text is a case, too, but the shallow one. */
const STRUCTURED: Readonly<Record<Grammar, number>> = { json: 0.8, text: 0.35, 'headed-json': 0.6 }

export function mutatedInput(input: Uint8Array, random: Random, { words, other, grammar }: Parents): Uint8Array {
  const material: Material = {
    words,
    other: () => Buffer.from(documentIn(other(), random, grammar).json).toString('utf8'),
    most: MOST_BYTES,
  }
  if (random.chance(STRUCTURED[grammar])) {
    const { before, json, after } = documentIn(input, random, grammar)
    const changed = changedJson(Buffer.from(json).toString('utf8'), random, material)
    if (changed !== undefined) return joinedParts(grammar, { before, json: Buffer.from(changed), after }).subarray(0, MOST_BYTES)
  }
  return changedBytes(input, random, { words, other, most: MOST_BYTES })
}

type DocumentParts = { readonly before: Uint8Array; readonly json: Uint8Array; readonly after: Uint8Array }

function documentIn(input: Uint8Array, random: Random, grammar: Grammar): DocumentParts {
  const parts = (from: number, to: number): DocumentParts => ({
    before: input.subarray(0, from),
    json: input.subarray(from, to),
    after: input.subarray(to),
  })
  switch (grammar) {
    case 'json':
      return parts(0, input.length)
    case 'headed-json': {
      const length = input.length < 8 ? 0 : Number(Buffer.from(input).readBigUInt64LE(0))
      return parts(8, Math.min(input.length, 8 + length))
    }
    case 'text': {
      const text = Buffer.from(input).toString('latin1')
      const found = [...text.matchAll(/\{.*\}/g)]
      if (found.length === 0) return parts(0, 0)
      const { 0: document, index } = random.pick(found)
      return parts(index, index + document.length)
    }
  }
}

/** A header's length is set right: only then is the header looked at. */
function joinedParts(grammar: Grammar, { before, json, after }: DocumentParts): Uint8Array {
  if (grammar !== 'headed-json') return Buffer.concat([before, json, after])
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(json.length))
  return Buffer.concat([length, json, after])
}
