-- Who used the API, or was refused: a stream of events for each day (`access/2026-11-17`), listed by time and by project. Only additions: the
-- release before works on this schema.

create index events_access on events (at, stream, sequence) where stream like 'access/%';
create index events_access_of_project on events ((body ->> 'project'), at) where stream like 'access/%';
