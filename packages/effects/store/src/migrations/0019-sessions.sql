-- People who signed in at the identity provider. The secret of a session is not here, only its SHA-256. What a person may do is not here
-- either: it follows from `groups` and the teams at each request. Only additions: the release before works on this schema.

create table sessions (
  id text primary key,
  secret_hash text not null unique,
  kind text not null check (kind in ('console', 'command-line')),
  issuer text not null,
  subject text not null,
  name text not null,
  groups jsonb not null,
  issued_at float8 not null,
  expires_at float8 not null,
  last_used_at float8 not null
);
create index sessions_of_subject on sessions (subject, issued_at);
create index sessions_by_expiry on sessions (expires_at);
