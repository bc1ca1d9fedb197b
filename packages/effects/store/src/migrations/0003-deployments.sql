-- Deployments with what keeps them: revisions, replicas, and the gateways that send them requests. There are hundreds of deployments, not
-- ten thousand, so the lease is part of the row. memory is what the reconciler keeps between two looks, in its own words.

create table deployments (
  id text primary key,
  name text not null,
  project text not null,
  team text not null,
  spec jsonb not null,
  desired text not null check (desired in ('serve', 'remove')),
  state text not null check (state in ('starting', 'serving', 'degraded', 'removing', 'removed')),
  state_since_at float8 not null,
  why text not null,
  newest int not null,
  stable int not null,
  wanted int not null check (wanted >= 0),
  replicas_made int not null,
  rollout jsonb,
  memory text,
  created_at float8 not null,
  created_by text not null,
  next_look_at float8 not null,
  until_at float8 not null,
  token bigint not null,
  holder text
) with (fillfactor = 50);

create unique index deployments_live_name on deployments (name) where state <> 'removed';
create index deployments_due on deployments (next_look_at) where state <> 'removed';

create table revisions (
  deployment_id text not null references deployments,
  number int not null,
  body jsonb not null,
  primary key (deployment_id, number)
);

create function refuse_revision_change() returns trigger language plpgsql as $$
begin
  raise exception 'revisions do not change' using errcode = 'restrict_violation';
end
$$;

create trigger revisions_kept before update or delete on revisions for each row execute function refuse_revision_change();

create table replicas (
  id text primary key,
  deployment_id text not null references deployments,
  body jsonb not null,
  state text not null generated always as (body ->> 'state') stored,
  since_at float8 not null generated always as ((body ->> 'since')::float8) stored
);

create index replicas_of_deployment on replicas (deployment_id, since_at);

-- What each gateway said last, in place.
create table gateways (
  id text primary key,
  seen_at float8 not null,
  body jsonb not null
) with (fillfactor = 50);

-- One row: what operators decided, and the snapshot that follows from it and from the deployments. The version rises with every change.
create table gateway_snapshot (
  one boolean primary key default true check (one),
  config jsonb not null,
  version int not null,
  body jsonb not null
);

insert into gateway_snapshot (config, version, body) values ('{"tenants":{},"keys":[]}', 0, '{}');
