-- Versions of the gateways' configuration count within an epoch: one is drawn for every new database, and another when a gateway is found to be
-- ahead of a database that was restored. The digest tells apart two contents that got the same version that way.

alter table gateway_snapshot add column epoch text not null default gen_random_uuid()::text;
alter table gateway_snapshot add column epoch_since_at float8 not null default 0;
alter table gateway_snapshot add column digest text not null default '';
