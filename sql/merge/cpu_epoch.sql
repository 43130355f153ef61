-- ?1 run in the source, ?2 and ?3 the least and greatest id that is its, ?4 its number here, ?5 taken off times.
INSERT INTO t_cpu_epoch (run_id, epoch, from_ts, changing, rebuilt, online, active, domains)
SELECT ?4, epoch, from_ts - ?5, changing, rebuilt, online, active, domains
FROM source.t_cpu_epoch
WHERE run_id = ?1
ORDER BY epoch;
