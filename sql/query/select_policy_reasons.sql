SELECT kind, code, name FROM t_policy_reason WHERE policy_id = ?1 ORDER BY kind, code;
