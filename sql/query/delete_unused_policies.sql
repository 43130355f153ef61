-- Policies whose last replay was replaced.
DELETE FROM t_policy WHERE id NOT IN (SELECT policy_id FROM t_replay);
DELETE FROM t_policy_reason WHERE policy_id NOT IN (SELECT id FROM t_policy);
