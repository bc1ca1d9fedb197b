-- What a list of versions by state asks, in an index: the answer that counts beside waivers, and the end of the newest waiver after it. It follows from the
-- decisions, also those that the release before makes, and nothing but the list reads it. Only additions: the release before works on this schema.

alter table artifacts add column decided text, add column waived_until float8;

update artifacts set decided = newest.answer
from (select distinct on (project, artifact_id) project, artifact_id, answer from decisions where answer <> 'waived' order by project, artifact_id, number desc) newest
where artifacts.project = newest.project and artifacts.id = newest.artifact_id;

update artifacts set waived_until = newest.until_at
from (select distinct on (project, artifact_id) project, artifact_id, until_at from decisions order by project, artifact_id, number desc) newest
where newest.until_at is not null and artifacts.project = newest.project and artifacts.id = newest.artifact_id;

create function keep_decided() returns trigger language plpgsql as $$
begin
  if new.answer = 'waived' then
    update artifacts set waived_until = new.until_at where project = new.project and id = new.artifact_id;
  else
    update artifacts set decided = new.answer, waived_until = null where project = new.project and id = new.artifact_id;
  end if;
  return null;
end $$;
create trigger decisions_kept after insert on decisions for each row execute function keep_decided();

create index artifacts_by_decision on artifacts (project, decided, sequence) where type = 'model' and removed_at is null;
create index artifacts_waived on artifacts (project, sequence) where waived_until is not null and removed_at is null;
