-- What runs were made of. Only additions: the release before works on this schema.

-- Digest of code, data and configuration without seeds: runs that have the same one repeat each other. Null where the code is not known.
alter table runs add column recipe text;
create index runs_of_recipe on runs (recipe, created_at desc) where recipe is not null;

-- What an attempt runs in on a node, as its agent found it last.
create table run_environments (
  run_id text not null,
  attempt int not null,
  node_index int not null,
  node text not null,
  body jsonb not null,
  packages text,
  -- How often it was sent: beyond a few times nothing is taken.
  sent int not null default 1,
  at float8 not null,
  primary key (run_id, attempt, node_index)
);

-- Packages of an interpreter, by the digest of names and versions: most runs of a site share a list.
create table package_lists (
  digest text primary key,
  packages jsonb not null
);
