-- The user that the jobs of a run or a replica belong to, chosen before the first of them is submitted: a later change of the teams document
-- does not change whose files and jobs they are. None where they belong to the control plane's own user.

create table job_users (
  subject text primary key,
  name text not null,
  account text,
  qos text,
  created_at float8 not null
);
