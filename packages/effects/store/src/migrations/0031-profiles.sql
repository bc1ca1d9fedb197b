-- Profiles of what deployments are asked and answer: counts in fixed bins. Only additions: the release before works on this schema.

-- Totals of an hour as a process of a gateway counted them. They only rise, so the ones that counted more are newer; counted is all counts of the body.
create table profile_windows (
  deployment_id text not null references deployments,
  hour int not null,
  revision int not null,
  class text not null,
  pool text not null,
  gateway text not null,
  boot text not null,
  rows float8 not null,
  counted float8 not null,
  body text not null,
  primary key (deployment_id, hour, revision, class, pool, gateway, boot)
) with (fillfactor = 70);

create index profile_windows_by_hour on profile_windows (hour, deployment_id);
create index profile_windows_of_gateway on profile_windows (gateway);

-- An hour that is no longer reported, over gateways and their processes. Revision 0 stands for all revisions and an empty class for all classes: such
-- rows have figures alone. due: it is not yet part of its day.
create table profile_hours (
  deployment_id text not null references deployments,
  hour int not null,
  revision int not null,
  class text not null,
  gateways jsonb not null,
  figures jsonb not null,
  body text,
  due boolean not null,
  primary key (deployment_id, hour, revision, class)
);

create index profile_hours_due on profile_hours (hour, deployment_id) where due;
create index profile_hours_by_hour on profile_hours (hour);

-- The sum of the hours of a day, for long spans of time.
create table profile_days (
  deployment_id text not null references deployments,
  day int not null,
  revision int not null,
  class text not null,
  gateways jsonb not null,
  body text not null,
  primary key (deployment_id, day, revision, class)
);

create index profile_days_by_day on profile_days (day);

-- One row: hours before it are closed. It rises under a lock that reports share, so nothing is added to an hour after it was merged, whatever clocks say.
create table profile_mark (
  one boolean primary key default true check (one),
  hour int not null
);

insert into profile_mark (hour) values (0);
