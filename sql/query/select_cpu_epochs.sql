-- Of run ?1, in order of time.
SELECT from_ts, changing, rebuilt, online, active, domains
FROM t_cpu_epoch
WHERE run_id = ?1
ORDER BY epoch;
