INSERT INTO t_machine_domain (machine_id, cpu, level, name, flags, imbalance_pct, span)
VALUES (?, ?, ?, ?, ?, ?, ?);
