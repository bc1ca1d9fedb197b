-- Whom a run is accounted to beside its project, and the books of the fleet: sums by the day (UTC) on which runs ended, so that a year of a
-- million runs is some ten thousand rows. A run is in `unbooked` from its end until its books are closed and it was added.

alter table runs add column team text not null default 'default';

create table unbooked (
  run_id text primary key references runs,
  due_at float8 not null
);

create index unbooked_due on unbooked (due_at);

insert into unbooked (run_id, due_at) select id, ended_at from runs where ended_at is not null;

create table ledger_days (
  day int not null,
  team text not null,
  project text not null,
  runs int not null,
  planned int not null,
  priced int not null,
  powered int not null,
  located int not null,
  peak_accelerator_s float8 not null,
  rated_accelerator_s float8 not null,
  primary key (day, team, project)
);

create table ledger_causes (
  day int not null,
  team text not null,
  project text not null,
  cause text not null,
  accelerator_s float8 not null,
  predicted_accelerator_s float8 not null,
  gap_accelerator_s float8 not null,
  cost_usd float8 not null,
  energy_j float8 not null,
  carbon_g float8 not null,
  primary key (day, team, project, cause)
);
