-- Approvals of versions are decisions that change no state. `issued_by` is who holds the secret of a token, because they made or rotated it. The release before
-- makes no approvals; it works on this schema.

alter table decisions drop constraint decisions_answer_check;
alter table decisions add constraint decisions_answer_check check (answer in ('released', 'refused', 'waived', 'retired', 'approved'));
-- Of an approval: what its person had in the project.
alter table decisions add column role text check (role in ('viewer', 'member', 'operator', 'admin'));
alter table decisions add constraint decisions_approval_role_check check ((answer = 'approved') = (role is not null));

create or replace function keep_decided() returns trigger language plpgsql as $$
begin
  if new.answer = 'approved' then
    return null;
  elsif new.answer = 'waived' then
    update artifacts set waived_until = new.until_at where project = new.project and id = new.artifact_id;
  else
    update artifacts set decided = new.answer, waived_until = null where project = new.project and id = new.artifact_id;
  end if;
  return null;
end $$;

alter table principals add column issued_by text;
update principals set issued_by = issued.actor
from (
  select distinct on (body ->> 'id') body ->> 'id' as id, actor from events
  where stream = 'principals' and kind in ('token-created', 'token-rotated') and body ->> 'id' <> actor
  order by body ->> 'id', sequence desc
) issued
where principals.id = issued.id and principals.role = 'person';
