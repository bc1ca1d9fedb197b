-- The state of the control plane. Times are unix seconds that the caller gives, so tests and simulations own the clock.

create table principals (
  id text primary key,
  name text not null,
  role text not null check (role in ('viewer', 'operator', 'admin', 'run')),
  token_hash text not null unique,
  run_id text,
  created_at float8 not null,
  revoked_at float8,
  check ((role = 'run') = (run_id is not null))
);

create table plans (
  id text primary key,
  kind text not null,
  body jsonb not null,
  created_at float8 not null
);

create table runs (
  id text primary key,
  name text not null,
  project text not null,
  plan_id text not null references plans,
  spec jsonb not null,
  program jsonb not null,
  state text not null check (state in ('queued', 'starting', 'running', 'unreachable', 'recovering', 'cancelling', 'succeeded', 'failed', 'cancelled')),
  state_since_at float8 not null,
  desired text not null check (desired in ('run', 'cancel')),
  attempt int not null check (attempt >= 0),
  wait_reason text,
  verdict jsonb,
  version int not null,
  created_at float8 not null,
  created_by text not null,
  ended_at float8,
  check ((state in ('succeeded', 'failed', 'cancelled')) = (ended_at is not null))
);

create index runs_newest on runs (created_at desc, id desc);
create index runs_newest_of_state on runs (state, created_at desc, id desc);
create index runs_newest_of_name on runs (name, created_at desc, id desc);
create index runs_newest_of_project on runs (project, created_at desc, id desc);
create index runs_newest_of_project_and_state on runs (project, state, created_at desc, id desc);

create function refuse_run_change() returns trigger language plpgsql as $$
begin
  if old.state in ('succeeded', 'failed', 'cancelled') then
    raise exception 'run % has ended as % and does not change', old.id, old.state using errcode = 'restrict_violation';
  end if;
  raise exception 'run % is at attempt % and does not go back', old.id, old.attempt using errcode = 'restrict_violation';
end
$$;

create trigger runs_terminal before update on runs for each row
  when (old.state in ('succeeded', 'failed', 'cancelled') or new.attempt < old.attempt) execute function refuse_run_change();
create trigger runs_kept before delete on runs for each row
  when (old.state in ('succeeded', 'failed', 'cancelled')) execute function refuse_run_change();

-- One narrow row for each live run, apart from runs: every look at a run writes its lease twice, and a row of runs is wide and has
-- five indexes. A lease is free when until_at has passed; next_look_at below until_at means that somebody asked for a look meanwhile.
create table leases (
  run_id text primary key references runs,
  next_look_at float8 not null,
  until_at float8 not null,
  token bigint not null,
  holder text
) with (fillfactor = 50);

create index leases_due on leases (next_look_at);

create table attempts (
  run_id text not null references runs,
  number int not null,
  body jsonb not null,
  state text not null generated always as (body ->> 'state') stored,
  primary key (run_id, number)
);

create function refuse_ended_attempt() returns trigger language plpgsql as $$
begin
  raise exception 'attempt % of run % has ended and does not change', old.number, old.run_id using errcode = 'restrict_violation';
end
$$;

create trigger attempts_terminal before update on attempts for each row
  when (old.state = 'ended' and old.body is distinct from new.body) execute function refuse_ended_attempt();

-- What a reporting agent said last, in place: sequence is its high-water mark, below which a report is a repetition. Only the
-- primary key is indexed, so the update every second stays within its page.
create table beats (
  run_id text not null,
  attempt int not null,
  node_index int not null,
  node text not null,
  sequence int not null,
  received_at float8 not null,
  beats jsonb not null,
  beats_at float8 not null,
  exits jsonb not null,
  completed jsonb,
  first_step_at float8,
  last_step bigint,
  last_step_at float8,
  primary key (run_id, attempt, node_index)
) with (fillfactor = 50);

-- The step rows of one report, together.
create table steps (
  run_id text not null,
  attempt int not null,
  first_step bigint not null,
  last_step bigint not null,
  node_index int not null,
  sequence int not null,
  rows jsonb not null,
  primary key (run_id, attempt, first_step, node_index, sequence)
);

-- `attempt` made the checkpoint, `reported_in` said what became of it.
create table checkpoints (
  run_id text not null,
  reported_in int not null,
  attempt int not null,
  step bigint not null,
  state text not null check (state in ('committed', 'restored', 'corrupt', 'refused')),
  bytes bigint not null,
  write_s float8 not null,
  pause_s float8 not null,
  at float8 not null,
  manifest text not null,
  primary key (run_id, reported_in, attempt, step, state)
);

-- The audit trail: a hash chain for each stream. The feed over all streams is ordered by transaction and then by place in it, because
-- neither follows the order of commits: a reader takes only transactions below the oldest one still open.
create table events (
  stream text not null,
  sequence int not null,
  at float8 not null,
  kind text not null,
  actor text not null,
  body jsonb not null,
  previous_hash text not null,
  hash text not null,
  transaction_id xid8 not null default pg_current_xact_id(),
  feed bigint not null generated always as identity,
  primary key (stream, sequence)
);

create index events_feed on events (transaction_id, feed);

create function refuse_event_change() returns trigger language plpgsql as $$
begin
  raise exception 'events are append-only' using errcode = 'restrict_violation';
end
$$;

create trigger events_append_only before update or delete or truncate on events for each statement execute function refuse_event_change();

create table nodes (
  cluster text not null,
  name text not null,
  state text not null check (state in ('in-service', 'drained')),
  strikes int not null,
  drained_reason text,
  changed_at float8 not null,
  primary key (cluster, name),
  check ((state = 'drained') = (drained_reason is not null))
);

-- status and body stay empty only inside the transaction that does the work.
create table idempotency (
  principal text not null,
  key text not null,
  request_hash text not null,
  status int,
  body jsonb,
  at float8 not null,
  primary key (principal, key)
);

create index idempotency_oldest on idempotency (at);
