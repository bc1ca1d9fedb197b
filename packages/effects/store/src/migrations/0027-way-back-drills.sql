-- Drills of the way back among the events of a deployment. Only additions: the release before works on this schema.

create index events_drills on events (stream, (body ->> 'tier'), sequence) where kind = 'way-back-drilled';
