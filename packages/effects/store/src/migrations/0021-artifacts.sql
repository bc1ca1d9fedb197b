-- Artifacts by project, what runs used and made, and what names point at. Their manifests and bytes are in the site's storage; a row has what
-- is asked of them. A row of a removed artifact stays, with its edges. Only additions: the release before works on this schema.

create sequence artifact_sequence;

create table artifacts (
  project text not null,
  id text not null,
  -- Rises with every registration, also with that of an artifact that was removed before.
  sequence bigint not null default nextval('artifact_sequence'),
  type text not null,
  bytes float8 not null,
  files integer not null,
  leaves float8 not null,
  facts jsonb not null,
  made_by text references runs,
  created_at float8 not null,
  created_by text not null,
  removed_at float8,
  primary key (project, id)
);
create unique index artifacts_by_sequence on artifacts (sequence);
create index artifacts_newest on artifacts (project, sequence) where removed_at is null;
create index artifacts_newest_of_type on artifacts (project, type, sequence) where removed_at is null;
-- The beginning of an id is a range of this order, whatever the database's collation is.
create index artifacts_by_beginning on artifacts (project, id collate "C");

create table artifact_edges (
  run_id text not null references runs,
  project text not null,
  artifact_id text not null,
  how text not null check (how in ('used', 'made')),
  at float8 not null,
  primary key (run_id, how, artifact_id),
  foreign key (project, artifact_id) references artifacts
);
create index artifact_edges_of_artifact on artifact_edges (project, artifact_id, how);

-- All that a name ever pointed at; the highest version is what it points at now.
create table artifact_names (
  project text not null,
  name text not null,
  version integer not null,
  artifact_id text not null,
  at float8 not null,
  by text not null,
  primary key (project, name, version),
  foreign key (project, artifact_id) references artifacts
);
create index artifact_names_of_artifact on artifact_names (project, artifact_id);

-- Objects that a garbage collection has removed, or may be removing now: written before the first of them goes. Who registers an artifact looks
-- for these once more in the storage. `claim` is whose removal has not ended; null once it has.
create table collected_objects (
  key text primary key,
  at float8 not null,
  claim text
);
create index collected_objects_by_time on collected_objects (at);
