// Two answers to one request: the one that the client gets and the one that a shadow gives. They are held until both are there, compared,
// and forgotten.

import { answerText } from './answer-text.ts'
import type { CompletionRequest } from '../front/completion-request.ts'
import type { OutputTally } from '../reporting/replica-tally.ts'

/** Bytes of an answer; longer ones are not compared. */
const LONGEST = 1 << 20

type Side = { parts: Buffer[]; length: number; done: boolean }

const newSide = (): Side => ({ parts: [], length: 0, done: false })

export class AnswerPair {
  readonly #streamed: boolean
  readonly #greedy: boolean
  readonly #tally: (compared: ComparedTexts) => void
  #onServed: (() => void) | undefined
  readonly #sides = { served: newSide(), shadow: newSide() }

  constructor({ stream, fields }: CompletionRequest, tally: (compared: ComparedTexts) => void) {
    this.#streamed = stream
    this.#greedy = fields['temperature'] === 0
    this.#tally = tally
  }

  record(side: 'served' | 'shadow', payload: Buffer): void {
    const one = this.#sides[side]
    one.length += payload.length
    if (one.length <= LONGEST) one.parts.push(payload)
    else one.parts = []
  }

  /** What came so far was of an attempt that came to nothing. */
  restart(): void {
    this.#sides.served = newSide()
  }

  /** The shadow failed: its own fault if the client's request turns out to be answered well. */
  failShadow(blame: () => void): void {
    if (this.#sides.served.done) blame()
    else this.#onServed = blame
  }

  complete(side: 'served' | 'shadow'): void {
    this.#sides[side].done = true
    if (side === 'served') this.#onServed?.()
    const { served, shadow } = this.#sides
    if (!served.done || !shadow.done) return
    const [other, own] = [this.#text(served), this.#text(shadow)]
    if (other !== undefined && own !== undefined) this.#tally({ other, own, greedy: this.#greedy })
  }

  #text({ parts, length }: Side): string | undefined {
    return length > LONGEST ? undefined : answerText(Buffer.concat(parts).toString('utf8'), this.#streamed)
  }
}

/** `greedy`: requested without randomness. */
export type ComparedTexts = { readonly other: string; readonly own: string; readonly greedy: boolean }

export function tallyOutputs(tally: OutputTally, { other, own, greedy }: ComparedTexts): void {
  tally.pairs += 1
  tally.length_log_sum += Math.log((own.length + 1) / (other.length + 1))
  if (!greedy) return
  tally.compared += 1
  if (own === other) tally.same += 1
  tally.agreed += agreement(own, other)
}

/** The share of the longer text before the first difference. */
function agreement(one: string, other: string): number {
  const longest = Math.max(one.length, other.length)
  if (longest === 0) return 1
  let equal = 0
  while (equal < one.length && one.charCodeAt(equal) === other.charCodeAt(equal)) equal += 1
  return equal / longest
}
