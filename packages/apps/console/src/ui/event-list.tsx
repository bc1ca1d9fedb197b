// Events, newest first; each opens to its fields.

import type { EventView } from '@ironlaw/contracts/api'
import type { ReactNode } from 'react'
import { showClock } from '../runs/run-words.tsx'
import { BarBox } from './bar-box.tsx'
import type { CsvRow } from './csv.ts'
import { FilterField, includesText, useFind } from './filter-field.tsx'

/** Fields that describe the event in words. */
const WORDS = ['why', 'detail', 'reason', 'problem', 'message'] as const
/** The rest is shown when the event is open. */
const FIELDS_IN_LINE = 4
/** Of a field without words, such as the end of a log. */
const FIELD_CHARACTERS = 60

export type EventListProps = { readonly label: string; readonly events: readonly EventView[] }

export function EventList({ label, events }: EventListProps): ReactNode {
  const [find, setFind] = useFind('events')
  const shown = events.filter(({ kind, body, actor }) => includesText(`${kind} ${shortText(body)} ${actor}`, find))
  const rows = shown.map(({ at, kind, actor, body }): CsvRow => [new Date(1000 * at).toISOString(), kind, actor, JSON.stringify(body)])
  return (
    <>
      <FilterField label={label} find={find} onFind={setFind} shown={shown.length} total={events.length} />
      <BarBox label={label} heads={HEADS} rows={rows}>
        <ul className="events tall" tabIndex={0} aria-label={label}>
          {shown.map((event) => (
            <EventItem key={event.cursor} event={event} />
          ))}
        </ul>
      </BarBox>
    </>
  )
}

const HEADS = ['at', 'event', 'actor', 'fields']

const EventItem = ({ event }: { readonly event: EventView }): ReactNode => (
  <li>
    <details>
      <summary>
        <time className="quiet" title={new Date(1000 * event.at).toISOString()}>
          {showClock(event.at)}
        </time>{' '}
        <strong>{event.kind}</strong> {shortText(event.body)} <span className="quiet">{event.actor}</span>
      </summary>
      <dl className="event-fields">
        <Field name="at" value={new Date(1000 * event.at).toISOString()} />
        {Object.entries(event.body).map(([name, value]) => (
          <Field key={name} name={name} value={value} />
        ))}
        <Field name="sequence" value={event.sequence} />
        <Field name="hash" value={event.hash} />
      </dl>
    </details>
  </li>
)

const Field = ({ name, value }: { readonly name: string; readonly value: unknown }): ReactNode => (
  <div>
    <dt>{name}</dt>
    <dd>{typeof value === 'string' ? value : JSON.stringify(value, undefined, 1)}</dd>
  </div>
)

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
