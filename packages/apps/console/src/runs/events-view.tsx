// Events as they happen.

import type { EventView } from '@ironlaw/contracts/api'
import { memo, type ReactNode } from 'react'
import { Card, Empty } from '../ui/card.tsx'
import { EventList } from '../ui/event-list.tsx'

export const EventsView = memo(({ events }: { readonly events: readonly EventView[] }): ReactNode => (
  <Card title="Events" about="Newest first. Open one to see its fields." wide>
    {events.length === 0 ? <Empty>No events yet.</Empty> : <EventList label="Events, newest first" events={events} />}
  </Card>
))
