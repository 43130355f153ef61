INSERT INTO t_run_cpu (run_id, cpu, observed, nr_events, entries, overrun, dropped, first_ts, last_ts)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);
