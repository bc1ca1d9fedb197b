-- A run that failed or was cancelled can be resumed, and failures that many runs shared are not held against each of them: attempts up to
-- `forgiven` do not count. An ended run changes in no other way. Only additions: the release before works on this schema.

alter table runs add column forgiven int not null default 0;

create or replace function refuse_run_change() returns trigger language plpgsql as $$
begin
  if old.state in ('failed', 'cancelled') and new.state in ('queued', 'recovering') and new.ended_at is null
    and new.attempt = old.attempt and new.forgiven = old.attempt and new.version > old.version then
    return new;
  end if;
  if old.state in ('succeeded', 'failed', 'cancelled') then
    raise exception 'run % has ended as % and does not change', old.id, old.state using errcode = 'restrict_violation';
  end if;
  raise exception 'run % is at attempt % and does not go back', old.id, old.attempt using errcode = 'restrict_violation';
end
$$;

-- Which attempts ended of late, over all runs.
create index attempts_ended on attempts (((body ->> 'endedAt')::float8)) where state = 'ended';
