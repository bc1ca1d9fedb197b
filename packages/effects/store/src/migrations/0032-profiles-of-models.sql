-- Profiles by the model that their facts name. Only additions: the release before works on this schema.

create index artifacts_profiles_of_model on artifacts (project, (facts ->> 'model'), sequence)
  where type = 'profile' and removed_at is null;
