-- ?1 run in the source, ?2 and ?3 the least and greatest id that is its, ?4 its number here, ?5 taken off times.
INSERT INTO t_anomaly (run_id, kind, name, help, count, first_ts, first_cpu, first_offset)
SELECT ?4, kind, name, help, count, first_ts - ?5, first_cpu, first_offset
FROM source.t_anomaly
WHERE run_id = ?1
ORDER BY kind;
