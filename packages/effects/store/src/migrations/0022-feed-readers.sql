-- Where each reader of the feed of events stands, and which process reads for it. Only additions: the release before works on this schema.

create table feed_readers (
  name text primary key,
  transaction_id xid8 not null,
  feed bigint not null,
  holder text not null,
  until_at float8 not null
);
