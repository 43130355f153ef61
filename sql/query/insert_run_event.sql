INSERT INTO t_run_event (run_id, kind, event, count)
VALUES (?, ?, ?, ?);
