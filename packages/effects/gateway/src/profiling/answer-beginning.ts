// What the beginning of an answer says, read from its bytes: the keys are looked for as text, because parsing each event of a stream costs more
// than the rest of profiling, and most of an answer is not needed. A key inside a string has its quotes escaped, so it is never taken for one.

import { isObject, parseJson } from '../front/json.ts'

/** Characters of the words of an answer that are read. */
export const WORDS_READ = 300

const ENDINGS = ['stop', 'length', 'tool_calls', 'function_call', 'content_filter', 'abort', 'error'] as const

export type Ending = (typeof ENDINGS)[number] | 'other'

const FINISH = /"finish_reason":\s*(?:"(\w{1,32})"|([^n\s]))/
const CALL = /"(?:tool_calls|function_call)":\s*(?:\[\s*)?\{/
const REFUSAL = /"refusal":\s*"[^"]/

/** Undefined where it says none, as before the end of a stream. */
export function endingOf(raw: string): Ending | undefined {
  const found = FINISH.exec(raw)
  return found ? (ENDINGS.find((one) => one === found[1]) ?? 'other') : undefined
}

export const hasCall = (raw: string): boolean => CALL.test(raw)

/** The field that engines fill instead of the words. */
export const hasRefusal = (raw: string): boolean => REFUSAL.test(raw)

/** The first words, of one piece or of the events of a stream. */
export function firstWords(raw: string): string {
  const key = /"(?:content|text)":\s*"/g
  let words = ''
  while (words.length < WORDS_READ && key.test(raw)) {
    const end = wordsEnd(raw, key.lastIndex)
    words += unescaped(raw.slice(key.lastIndex, end))
    key.lastIndex = end
  }
  return words
}

const BACKSLASH = 92
const QUOTE = 34
const UNICODE = 117

/** Where a string ends, or is long enough; never inside of an escape. */
function wordsEnd(raw: string, from: number): number {
  const most = Math.min(raw.length, from + WORDS_READ)
  let at = from
  while (at < most) {
    const code = raw.charCodeAt(at)
    if (code === QUOTE) return at
    at += code === BACKSLASH ? (raw.charCodeAt(at + 1) === UNICODE ? 6 : 2) : 1
  }
  return at
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  const whole = parseJson(`"${text}"`)
  return typeof whole === 'string' ? whole : ''
}

/** Minus the mean over the tokens; undefined where there are none, or what is there is no list of logarithms of probabilities. */
export function meanLogProbability(documents: readonly string[]): number | undefined {
  let sum = 0
  let count = 0
  for (const document of documents)
    for (const one of logProbabilities(parseJson(document))) {
      if (typeof one !== 'number' || !(one <= 0) || one === Number.NEGATIVE_INFINITY) return undefined
      sum -= one
      count += 1
    }
  return count > 0 ? sum / count : undefined
}

/** Of the first choice. The first token of an echoed prompt has none. */
function logProbabilities(answer: unknown): readonly unknown[] {
  const choices = isObject(answer) ? answer['choices'] : undefined
  const [choice]: unknown[] = Array.isArray(choices) ? choices : []
  const said = isObject(choice) ? choice['logprobs'] : undefined
  if (!isObject(said)) return []
  const { content, token_logprobs: tokens } = said
  if (Array.isArray(tokens)) return tokens.filter((one) => one !== null)
  return Array.isArray(content) ? content.map((token) => (isObject(token) ? token['logprob'] : undefined)) : []
}

/** Events that came whole. */
export const wholeEvents = (raw: string): readonly string[] =>
  raw.split('\n').flatMap((line) => (line.startsWith('data: {') && /\}\r?$/.test(line) ? [line.slice(6)] : []))

const EMBEDDING = '"embedding":'
/** Where the first one begins. */
const EMBEDDING_WITHIN = 16_384
/** Of one embedding as text: 16,384 numbers of 20 characters. */
const EMBEDDING_BYTES = 327_680

/** The first embedding of an answer: numbers, or in base64 where the client asked for that. */
export function firstEmbedding(body: Buffer, isBase64: boolean): ArrayLike<unknown> | undefined {
  // Its own name is "object": "embedding", with a comma after it and no colon.
  const key = body.subarray(0, EMBEDDING_WITHIN).indexOf(EMBEDDING)
  if (key === -1) return undefined
  const rest = body.subarray(key + EMBEDDING.length, key + EMBEDDING.length + EMBEDDING_BYTES)
  const opening = rest.indexOf(isBase64 ? '"' : '[')
  const end = opening === -1 ? -1 : rest.indexOf(isBase64 ? '"' : ']', opening + 1)
  if (end === -1) return undefined
  const value = parseJson(rest.toString('latin1', 0, end + 1))
  if (!isBase64) return Array.isArray(value) ? value : undefined
  return typeof value === 'string' ? floatsOf(Buffer.from(value, 'base64')) : undefined
}

function floatsOf(bytes: Buffer): Float32Array | undefined {
  if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(4 * at))
}
