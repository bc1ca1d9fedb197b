-- Attempts of the release before are jobs of their own, which this one would not look after.
do $$
declare
  live bigint;
begin
  select count(*) into live from attempts where body ->> 'state' <> 'ended';
  if live > 0 then
    raise exception '% runs of the release before this one are under way, and this one cannot look after them', live
      using errcode = 'object_in_use', hint = 'start the release before again, let the runs end or cancel them, then start this one';
  end if;
end
$$;

-- An allocation holds nodes for a run, with an agent on each; attempts start inside. Written with the run, under its lease.
create table allocations (
  run_id text not null references runs,
  number int not null,
  body jsonb not null,
  state text not null generated always as (body ->> 'state') stored,
  primary key (run_id, number)
);

create index allocations_live on allocations (run_id) where state <> 'ended';

create function refuse_ended_allocation() returns trigger language plpgsql as $$
begin
  raise exception 'allocation % of run % has ended and does not change', old.number, old.run_id using errcode = 'restrict_violation';
end
$$;

create trigger allocations_terminal before update on allocations for each row
  when (old.state = 'ended' and old.body is distinct from new.body) execute function refuse_ended_allocation();

-- Who announced itself from a place in an allocation, and when it was heard last while it waited for work.
create table agents (
  run_id text not null references runs,
  allocation int not null,
  node_index int not null,
  node text not null,
  host text not null,
  incarnation text not null,
  heard_at float8 not null,
  primary key (run_id, allocation, node_index)
) with (fillfactor = 50);

-- Allocations of runs that have ended, until the executor says that they are gone.
create table releases (
  run_id text not null,
  number int not null,
  due_at float8 not null,
  primary key (run_id, number)
);

create index releases_due on releases (due_at);
