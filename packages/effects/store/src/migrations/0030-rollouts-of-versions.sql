-- How rollouts ended, among the events of a deployment. Only additions: the release before works on this schema.

create index events_rollouts on events (stream, sequence) where kind in ('rollout-promoted', 'rollout-rolled-back');
