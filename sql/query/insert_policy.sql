INSERT INTO t_policy (name, summary, origin, base)
VALUES (?, ?, ?, ?);
