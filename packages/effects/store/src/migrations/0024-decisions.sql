-- What was decided about versions of models; rows are never changed. Only additions: the release before works on this schema.

create table decisions (
  project text not null,
  artifact_id text not null,
  -- Of the decisions about this artifact, from 1.
  number integer not null,
  answer text not null check (answer in ('released', 'refused', 'waived', 'retired')),
  rule text not null,
  evidence jsonb not null,
  why text not null,
  otherwise text,
  until_at float8,
  at float8 not null,
  by text not null,
  primary key (project, artifact_id, number),
  foreign key (project, artifact_id) references artifacts,
  check ((answer = 'waived') = (until_at is not null))
);
create index decisions_by_time on decisions (project, artifact_id, at);
