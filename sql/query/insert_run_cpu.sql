INSERT INTO t_run_cpu (run_id, cpu, observed, nr_events, entries, overrun, dropped, first_ts, last_ts,
	skew_ns, skew_low_ns, skew_high_ns)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
