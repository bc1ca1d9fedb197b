// Events, newest first; each opens to its fields.

import type { EventView } from '@ironlaw/contracts/api'
import type { ReactNode } from 'react'
import { showClock } from '../runs/run-words.tsx'
import { BarBox } from './bar-box.tsx'
import type { CsvRow } from './csv.ts'
import { shortText } from './event-text.ts'
import { FilterField, includesText, useFind } from './filter-field.tsx'

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
