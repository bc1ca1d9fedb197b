// Numbers that stand for a text: equal texts have equal ones, on every machine.

import { hash } from 'node:crypto'

export type ContentNumbers = {
  /** Of 53 bits: who is kept of equal documents, who is drawn, where a document stands after shuffling. */
  readonly order: number
  /** Of 64 bits, as two halves: equal texts are found by it. */
  readonly high: number
  readonly low: number
}

/** With another seed `order` is another one, the key stays. */
export function contentNumbers(text: string, seed = 0): ContentNumbers {
  const digest = hash('sha256', text, 'buffer')
  const mixed = seed === 0 ? digest : hash('sha256', Buffer.concat([Buffer.from(`${seed}:`), digest]), 'buffer')
  return {
    order: (mixed.readUInt32LE(0) >>> 11) * 2 ** 32 + mixed.readUInt32LE(4),
    high: digest.readUInt32LE(8),
    low: digest.readUInt32LE(12),
  }
}
