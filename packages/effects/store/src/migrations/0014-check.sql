-- A check before the start measures the nodes of a run. Only additions: the release before works on this schema.

alter table runs drop constraint runs_state_check;
alter table runs add constraint runs_state_check check (state in ('queued', 'starting', 'checking', 'running', 'unreachable', 'recovering',
  'cancelling', 'succeeded', 'failed', 'cancelled'));

-- As the ranks of an attempt that is a check sent them.
alter table beats add column readings jsonb not null default '[]';

-- The last one of each node; those before are in the events of the node.
create table node_readings (
  cluster text not null,
  name text not null,
  kind text not null,
  reading jsonb not null,
  at float8 not null,
  primary key (cluster, name, kind)
);
