INSERT INTO t_run (id, machine_id, file, format, release, clock, probe_mode, tool_version, first_ts, last_ts, trusted_from, trusted_to, nr_cpus, nr_lost, truncated, truncated_at, formats_from)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
