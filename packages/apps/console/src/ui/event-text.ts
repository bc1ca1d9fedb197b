// An event in one line.

import type { EventView } from '@ironlaw/contracts/api'

/** Fields that describe the event in words. */
const WORDS = ['why', 'detail', 'reason', 'problem', 'message'] as const
/** The rest is shown when the event is open. */
const FIELDS_IN_LINE = 4
/** Of a field without words, such as the end of a log. */
const FIELD_CHARACTERS = 60

/** The description of an event and its replica, or its first plain fields; its time is already in front. */
export function shortText(body: EventView['body']): string {
  const said = WORDS.map((name) => body[name]).find((value) => typeof value === 'string' && value !== '')
  if (typeof said === 'string') return typeof body['replica'] === 'string' ? `#${body['replica'].split('.').at(-1)} ${said}` : said
  return Object.entries(body)
    .filter(([name, value]) => name !== 'at' && ['string', 'number', 'boolean'].includes(typeof value) && value !== '')
    .slice(0, FIELDS_IN_LINE)
    .map(([name, value]) => `${name} ${typeof value === 'number' ? Number(value.toPrecision(6)) : lastLine(String(value))}`)
    .join(', ')
}

/** A text of several lines is summarized by its last. */
function lastLine(text: string): string {
  const line = text.trimEnd().split('\n').at(-1) ?? ''
  return line.length > FIELD_CHARACTERS ? `${line.slice(0, FIELD_CHARACTERS)}…` : line
}
