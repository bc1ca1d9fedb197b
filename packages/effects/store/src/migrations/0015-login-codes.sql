-- One-time codes that open the console. Neither the code nor a token can be read from here: `code_hash` is a SHA-256 and `sealed` is a token
-- encrypted under a key that only the code gives. Only additions: the release before works on this schema.

create table login_codes (
  code_hash text primary key,
  principal_id text not null references principals (id) on delete cascade,
  sealed text not null,
  expires_at float8 not null
);
create index login_codes_of_principal on login_codes (principal_id, expires_at);
