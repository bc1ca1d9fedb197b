-- Which attempt an agent has ended last, by its own word: an agent that was merely heard a moment ago may be on a node that has died since.
-- Null for agents that do not report it. Only an addition: the release before works on this schema.

alter table agents add column ended_attempt int;
