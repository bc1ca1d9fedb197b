-- A token of a gateway speaks for one gateway: the first that used it.

alter table principals add column gateway_id text;
create index principals_of_gateway on principals (gateway_id) where gateway_id is not null;
