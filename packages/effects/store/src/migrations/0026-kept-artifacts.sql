-- What keeps an artifact from being removed: versions that deployments serve, and evidence of decisions. Only additions: the release before works on
-- this schema.

create index revisions_of_version on revisions ((body -> 'version' ->> 'artifact'));
create index decisions_of_evidence on decisions using gin ((evidence -> 'artifacts') jsonb_path_ops);
