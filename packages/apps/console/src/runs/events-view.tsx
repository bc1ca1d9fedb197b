// What happened, as it happens.

import type { EventView } from '@ironlaw/contracts/api'
import { memo, type ReactNode } from 'react'
import { Card, Empty } from '../ui/card.tsx'
import { clock } from './run-words.tsx'

export const EventsView = memo(({ events }: { readonly events: readonly EventView[] }): ReactNode => (
  <Card title="Events" about="Newest first." wide>
    {events.length === 0 && <Empty>None yet.</Empty>}
    <ul className="events tall" tabIndex={0} aria-label="Events, newest first">
      {events.map(({ cursor, at, kind, actor, body }) => (
        <li key={cursor} title={JSON.stringify(body)}>
          <time className="quiet">{clock(at)}</time> <strong>{kind}</strong> <span className="quiet">{actor}</span>
        </li>
      ))}
    </ul>
  </Card>
))
