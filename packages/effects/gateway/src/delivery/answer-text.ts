// The content of an answer, however it was sent: its text and its tool calls, from one body or from the events of a stream.

import { isObject, type JsonObject, parseJson } from '../front/json.ts'

/** A field of an answer that says something: words, or a call with its arguments. */
const SAYS = /"(?:content|text|reasoning_content|reasoning|refusal|arguments)":\s*"[^"]/
/** Where the words of an answer in one piece begin. */
const BEGINNING_BYTES = 65_536
const WHITE = new Set([9, 10, 13, 32])
const OPENING_BRACE = 123

/** Whether an event, or an answer in one piece, has a single character of answer in it. */
export const hasContent = (text: string): boolean => SAYS.test(text)

export const bodyHasContent = (body: Buffer): boolean => hasContent(body.toString('latin1', 0, BEGINNING_BYTES))

/** By its first character: parsing an embedding would cost megabytes. */
export function isJsonObject(body: Buffer): boolean {
  let at = 0
  while (WHITE.has(body[at] ?? 0)) at += 1
  return body[at] === OPENING_BRACE
}

/** Undefined where it is no answer of a completion. */
export function answerText(raw: string, streamed: boolean): string | undefined {
  const documents = streamed ? eventsOf(raw) : [raw]
  const texts = new Map<number, string>()
  for (const document of documents) {
    const answer = parseJson(document)
    if (!isObject(answer) || !Array.isArray(answer['choices'])) return undefined
    for (const choice of answer['choices']) {
      if (!isObject(choice)) return undefined
      const index = typeof choice['index'] === 'number' ? choice['index'] : 0
      texts.set(index, (texts.get(index) ?? '') + choiceText(choice))
    }
  }
  return [...texts]
    .toSorted(([one], [other]) => one - other)
    .map(([, text]) => text)
    .join('\n')
}

const eventsOf = (raw: string): readonly string[] =>
  raw.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') && !/^data: ?\[DONE\]/.test(line) ? [line.slice(5)] : []))

function choiceText(choice: JsonObject): string {
  const { text, message, delta } = choice
  if (typeof text === 'string') return text
  const said = isObject(message) ? message : isObject(delta) ? delta : {}
  const { content, tool_calls: calls } = said
  return (typeof content === 'string' ? content : '') + (Array.isArray(calls) ? calls.map(callOf).join('') : '')
}

function callOf(call: unknown): string {
  const called = isObject(call) ? call['function'] : undefined
  if (!isObject(called)) return ''
  return [called['name'], called['arguments']].filter((part) => typeof part === 'string').join(' ')
}
