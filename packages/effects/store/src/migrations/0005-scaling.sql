-- Headroom is measured: the share to plan for is gone, the share of bursts that finds room is new. What was remembered of the traffic is counted anew.

update deployments set spec = jsonb_set(spec #- '{scaling,utilisation}', '{scaling,covered}', '0.9') where spec -> 'scaling' is not null;
update deployments set memory = null;
