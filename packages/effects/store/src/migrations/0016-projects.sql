-- What a token may do, and in which projects. Tokens made before this may do in every project what they could do so far. A rotated token keeps
-- its row; the hash before is valid until `old_until_at`.

alter table principals drop constraint principals_role_check;
alter table principals add constraint principals_role_check
  check (role in ('viewer', 'operator', 'admin', 'person', 'gateway', 'run'));
alter table principals add column grants jsonb not null default '[]';
alter table principals add column expires_at float8;
alter table principals add column last_used_at float8;
alter table principals add column old_hash text;
alter table principals add column old_until_at float8;
create unique index principals_of_old_hash on principals (old_hash) where old_hash is not null;

update principals set grants = jsonb_build_array(jsonb_build_object('role', role, 'project', '*')), role = 'person'
  where role in ('viewer', 'operator', 'admin');

-- A plan is named by its content: it belongs to every project that stored it.
create table plan_projects (
  plan_id text not null references plans (id) on delete cascade,
  project text not null,
  primary key (plan_id, project)
);
insert into plan_projects (plan_id, project)
  select plan_id, project from runs
  union
  select revisions.body ->> 'planId', deployments.project
    from revisions join deployments on deployments.id = revisions.deployment_id
    where exists (select 1 from plans where plans.id = revisions.body ->> 'planId');
insert into plan_projects (plan_id, project)
  select id, 'default' from plans where not exists (select 1 from plan_projects where plan_id = plans.id);

-- Every teams document that was in force, the newest with the highest number.
create table teams_documents (
  number int primary key,
  body jsonb not null,
  etag text not null,
  created_at float8 not null
);
