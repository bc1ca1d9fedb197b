// The shape of a JSON body, read from its bytes before anything is built from it. `JSON.parse` takes any depth, but whatever walks the result by
// recursion (`JSON.stringify` first of all) ends in a RangeError at a few thousand levels; and 4 MiB of small objects take 0.3 s to parse,
// during which no other request is served. One pass without recursion: 0.4 us for a chat of 190 bytes, 0.4 ms for 4 MiB of text, 31 ms for 4 MiB of
// one-digit numbers, where `JSON.parse` takes 63 ms.

export type BodyShape = {
  /** Fields of the outermost object, repeated ones too. */
  readonly fields: number
}

export type ShapeProblem = { readonly problem: string }

/** Deeper than any request of an API: a JSON schema of ten levels, OpenAI's own limit for schemas, nests about 40. */
export const MAX_DEPTH = 128
/** Arrays and objects: 20,000 messages with a part each. Parsing as many distinct shapes takes 0.1 s, the most that one request may hold up others. */
export const MAX_CONTAINERS = 65_536
/** Fields of all objects together, for the same reason. */
export const MAX_MEMBERS = 65_536
/** Elements of all lists: four prompts of 131,072 token ids. */
export const MAX_VALUES = 524_288

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** The shape of well-formed JSON within the limits. Text that is no JSON gets some shape or problem: the parser refuses it afterwards. */
export function bodyShape(body: Buffer): BodyShape | ShapeProblem {
  let [depth, containers, members, values, fields] = [0, 0, 0, 0, 0]
  for (let at = 0; at < body.length; at += 1) {
    const code = body[at] ?? 0
    switch (code) {
      case QUOTE:
        at = stringEnd(body, at + 1)
        break
      case COMMA:
        values += 1
        if (values > MAX_VALUES) return { problem: `has more than ${MAX_VALUES} values` }
        break
      case COLON:
        members += 1
        if (depth === 1) fields += 1
        if (members > MAX_MEMBERS) return { problem: `has more than ${MAX_MEMBERS} fields in all of its objects` }
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth += 1
        containers += 1
        if (depth > MAX_DEPTH) return { problem: `is nested deeper than ${MAX_DEPTH} levels` }
        if (containers > MAX_CONTAINERS) return { problem: `has more than ${MAX_CONTAINERS} lists and objects` }
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth -= 1
        break
    }
  }
  return { fields }
}

/** From this many bytes of a string on, a native search for its end is worth the call. */
const LONG_STRING = 128

/** Where the string ends whose first byte is at `from`: its closing quote, or the end of the body. */
function stringEnd(body: Buffer, from: number): number {
  let at = from
  // Kept over rounds: a long text of escapes would otherwise be searched to its end again after every one of them.
  let quote = -1
  while (at < body.length) {
    const stop = Math.min(body.length, at + LONG_STRING)
    for (; at < stop; at += 1) {
      const code = body[at]
      if (code === QUOTE) return at
      if (code === BACKSLASH) at += 1
    }
    if (quote < at) quote = body.indexOf(QUOTE, at)
    if (quote === -1) return body.length
    const escape = body.subarray(at, quote).indexOf(BACKSLASH)
    at = escape === -1 ? quote : at + escape
  }
  return at
}
