-- Named secrets of a project, sealed: the value under a data key of its own, the data key under a key that is not in this database. A deleted
-- secret leaves a last version without sealed text, so that its versions go on counting. Only additions: the release before works on this schema.

create table secrets (
  project text not null,
  name text not null,
  version integer not null,
  sealed text,
  key_id text,
  created_at float8 not null,
  created_by text not null,
  primary key (project, name, version),
  check ((sealed is null) = (key_id is null))
);
create index secrets_by_key on secrets (key_id);
