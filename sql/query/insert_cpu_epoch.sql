INSERT INTO t_cpu_epoch (run_id, epoch, from_ts, changing, rebuilt, online, active, domains)
VALUES (?, ?, ?, ?, ?, ?, ?, ?);
