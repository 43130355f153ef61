INSERT INTO t_wakeup_count (run_id, bits, count)
VALUES (?, ?, ?);
