INSERT INTO t_anomaly (run_id, kind, name, help, count, first_ts, first_cpu, first_offset)
VALUES (?, ?, ?, ?, ?, ?, ?, ?);
