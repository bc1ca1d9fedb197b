// What the engine says an answer took. Bills rest on this and on nothing else where it is there.

import { isObject, type JsonObject, parseJson } from '../front/json.ts'

export type Usage = { readonly prompt: number; readonly completion: number; readonly cached: number }

const wholeCount = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.trunc(value) : 0)

export function usageOf(answer: JsonObject): Usage | undefined {
  const { usage } = answer
  if (!isObject(usage)) return undefined
  const details = usage['prompt_tokens_details']
  return {
    prompt: wholeCount(usage['prompt_tokens']),
    completion: wholeCount(usage['completion_tokens']),
    cached: isObject(details) ? wholeCount(details['cached_tokens']) : 0,
  }
}

/** Of an answer in one piece. An embedding can be megabytes: only the end is parsed, where engines put it, and all of it otherwise. */
export function usageOfBody(body: Buffer): Usage | undefined {
  const from = body.lastIndexOf('"usage"')
  if (from === -1) return undefined
  const tail = body.toString('utf8', from + 7)
  const end = closingBrace(tail)
  const usage = end === -1 ? undefined : parseJson(tail.slice(tail.indexOf('{'), end))
  return usageOf({ usage })
}

function closingBrace(text: string): number {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 123) depth += 1
    else if (code === 125) {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return -1
}
