-- A token for gateways: it may tell counts and take the configuration, nothing else.

alter table principals drop constraint principals_role_check;
alter table principals add constraint principals_role_check check (role in ('viewer', 'operator', 'admin', 'gateway', 'run'));
