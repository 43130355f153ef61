INSERT INTO t_policy_reason (policy_id, kind, code, name)
VALUES (?, ?, ?, ?);
