-- How tenants' limits are divided among gateways: what each gateway may be using, and what it reported as demand. One row, locked by whoever
-- divides, because a share is free only when nobody else holds it.

create table gateway_quota (
  one boolean primary key default true check (one),
  ledger jsonb not null default '{}'
);
insert into gateway_quota default values;
