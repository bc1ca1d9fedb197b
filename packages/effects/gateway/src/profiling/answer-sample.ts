// The beginning of a sampled answer, kept until the answer has ended and its client has the bytes. Copied, since a part of what a socket read
// would keep all of it in memory.

import { type Ending, endingOf } from './answer-beginning.ts'

/** Of the beginning; a hundred words of a stream, each in an event of its own. */
export const BEGINNING_BYTES = 16_384
/** An answer in one piece with log-probabilities is parsed whole up to this size. */
const WHOLE_BYTES = 262_144

/** `thorough`: with the features that cost more than the others together. */
export type SampleDepth = 'plain' | 'thorough'

export type SampledContent = {
  readonly depth: SampleDepth
  /** In UTF-8. */
  readonly beginning: string
  readonly ending: Ending | undefined
  /** The answer in one piece. */
  readonly body: Buffer | undefined
}

/** A stream of events as it passes. */
export class StreamSample {
  readonly depth: SampleDepth
  #beginning = ''
  #ending: Ending | undefined

  constructor(depth: SampleDepth) {
    this.depth = depth
  }

  record(payload: Buffer): void {
    const left = BEGINNING_BYTES - this.#beginning.length
    if (left > 0) this.#beginning += payload.toString('latin1', 0, left)
    // Most events have a finish reason of null, and are not copied.
    if (left < payload.length && FINISHED.some((key) => payload.includes(key))) this.#ending = endingOf(payload.toString('latin1'))
  }

  content(): SampledContent {
    const beginning = Buffer.from(this.#beginning, 'latin1').toString('utf8')
    return { depth: this.depth, beginning, ending: this.#ending ?? endingOf(beginning), body: undefined }
  }
}

/** As engines write JSON, with and without spaces. */
const FINISHED = ['"finish_reason":"', '"finish_reason": "'].map((key) => Buffer.from(key))
const FINISH_KEY = '"finish_reason"'
/** Enough for the key and a value of the list. */
const FINISH_BYTES = 64
/** The end of a long answer, where engines put the key; to search megabytes for it would hold other requests up. */
const END_BYTES = 65_536

export function wholeContent(body: Buffer, depth: SampleDepth): SampledContent {
  const beginning = body.toString('utf8', 0, BEGINNING_BYTES)
  if (body.length <= BEGINNING_BYTES) return { depth, beginning, ending: endingOf(beginning), body }
  const end = body.subarray(-END_BYTES)
  const at = end.lastIndexOf(FINISH_KEY)
  const ending = endingOf(at === -1 ? beginning : end.toString('latin1', at, at + FINISH_BYTES))
  return { depth, beginning, ending, body }
}

export const parsedWhole = ({ body }: SampledContent): string | undefined =>
  body && body.length <= WHOLE_BYTES ? body.toString('utf8') : undefined
